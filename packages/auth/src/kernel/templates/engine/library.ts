/** The library as a module: it is loaded when the first template is rendered. */
export type LiquidLibrary = typeof import('liquidjs')

/** The only place that loads it. */
export const loadLiquid = (): Promise<LiquidLibrary> => import('liquidjs')
