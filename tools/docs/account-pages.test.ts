import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ACCOUNT_PAGES } from './account-pages.ts'

const SOURCE = join(import.meta.dirname, '..', '..', 'packages', 'auth', 'src')

/** Finds the reverse names in the code that declare a page or a constant for one. */
const findDeclaredPages = (): readonly string[] =>
  globSync('{account,mfa,usersessions,socialaccount,idp,admin}/**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] })
    .flatMap((file) => [
      ...readFileSync(join(SOURCE, file), 'utf8').matchAll(
        /(?:name: |PAGE = |_NAME = |LIST = )'((?:account|mfa|usersessions|socialaccount|saml|idp|admin)_\w+)'(?! \|)/g,
      ),
    ])
    .map(([, name = '']) => name)

it('describes every page', () => {
  const names = ACCOUNT_PAGES.map(([name]) => name)
  expect(findDeclaredPages().length).toBeGreaterThan(25)
  expect(findDeclaredPages().filter((name) => !names.includes(name))).toEqual([])
})
