// The community's typings promise `void` and bring Koa's own along; what is used of it is this.
declare module 'koa-compose' {
  export default function compose<Context, Value>(
    stack: readonly ((context: Context, next: () => Promise<Value>) => Value | Promise<Value>)[],
  ): (context: Context) => Promise<Value>
}
