import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { consolePages } from './console-pages.ts'

/** Reads the paths in routes.tsx, which only a browser can import. */
const readRoutes = (): readonly string[] =>
  [...readFileSync(join(import.meta.dirname, '..', 'routes.tsx'), 'utf8').matchAll(/pageRoute\('\/([^']+)'/g)].map(
    ([, path = '']) => path,
  )

const matches = (route: string, path: string): boolean =>
  new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}(?:\\?.*)?$`).test(path)

it('has a page for every route', () => {
  const pages = consolePages('conversations/1').map(({ path }) => path)
  const routes = readRoutes()
  expect(routes).toContain('channels/$platform')
  expect(routes.filter((route) => !pages.some((path) => matches(route, path)))).toEqual([])
})
