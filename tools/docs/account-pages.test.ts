import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACCOUNT_PAGES } from './account-pages.ts'

const SOURCE = join(import.meta.dirname, '..', '..', 'packages', 'auth', 'src')

/** Reverse names as the code writes them, where it declares a page or a constant for one. */
const declared = (): readonly string[] =>
  globSync('{account,mfa,usersessions,socialaccount,idp,admin}/**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] })
    .flatMap((file) => [
      ...readFileSync(join(SOURCE, file), 'utf8').matchAll(
        /(?:name: |PAGE = |_NAME = |LIST = )'((?:account|mfa|usersessions|socialaccount|saml|idp|admin)_\w+)'(?! \|)/g,
      ),
    ])
    .map(([, name = '']) => name)

it('has every page', () => {
  const names = ACCOUNT_PAGES.map(([name]) => name)
  expect(declared().length).toBeGreaterThan(25)
  expect(declared().filter((name) => !names.includes(name))).toEqual([])
})
