// The community's typings promise `void` and bring Koa's own along; what is used of it is this. The namespace is what
// Koa's typings ask of the module, so that an app beside Cepa keeps its types.
declare module 'koa-compose' {
  function compose<Context, Value>(
    stack: readonly ((context: Context, next: () => Promise<Value>) => Value | Promise<Value>)[],
  ): (context: Context) => Promise<Value>
  namespace compose {
    type Middleware<Context> = (context: Context, next: () => Promise<unknown>) => unknown
    type ComposedMiddleware<Context> = (context: Context, next?: () => Promise<unknown>) => Promise<void>
  }
  export = compose
}
