/** What is given of these names, also by the class of an instance; methods keep their object. */
export function bound<Hooks extends object>(given: Hooks, names: readonly string[]): Hooks {
  const hooks = names.flatMap((name) => {
    const hook: unknown = Reflect.get(given, name)
    return typeof hook === 'function' ? [[name, hook.bind(given) as unknown] as const] : [] // `bind` of a Function is any
  })
  return Object.fromEntries(hooks) as Hooks // the same names, each with its own hook
}
