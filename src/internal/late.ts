/** Uses a module that is loaded late: a promise the first time, and from then on what `act` gives. */
export type Late<Module> = <T>(act: (module: Module) => T | Promise<T>) => T | Promise<T>

/** A module that is loaded with its first use, so that what few apps need costs the others nothing. */
export function late<Module>(load: () => Promise<Module>): Late<Module> {
  let loaded: Module | undefined
  return (act) => {
    if (loaded !== undefined) return act(loaded)
    return load().then((module) => {
      loaded = module
      return act(module)
    })
  }
}
