/**
 * A module that is loaded with its first use: `use` gives a promise until it is there, and from then on what `act`
 * gives. So what few apps need costs the others nothing, and a second use waits for nothing.
 */
export function late<Module>(
  load: () => Promise<Module>,
): <T>(act: (module: Module) => T | Promise<T>) => T | Promise<T> {
  let loaded: Module | undefined
  return (act) => {
    if (loaded !== undefined) return act(loaded)
    return load().then((module) => {
      loaded = module
      return act(module)
    })
  }
}
