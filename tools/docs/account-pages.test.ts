import { expect, it } from 'vitest'
import { ACCOUNT_PAGES } from './account-pages.ts'
import { withAuth } from './with-auth.ts'

/** Returns the names of all pages. Verification and reset by link and by code have different ones. */
async function listPages(): Promise<readonly string[]> {
  const names = [false, true].map((byCode) =>
    withAuth(
      ({ kernel }) =>
        kernel.modules.flatMap(({ pages = [], staffPages = [] }) => [...pages, ...staffPages].map(({ name }) => name)),
      byCode,
    ),
  )
  return [...new Set((await Promise.all(names)).flat())]
}

/** Pages of social login providers, described once for Google, and old paths, which redirect to described pages. */
const isRepeated = (name: string): boolean =>
  (/_(?:login|callback)$/.test(name) && !name.startsWith('account_')) || name.endsWith('_old')

it('describes every page', async () => {
  const described = ACCOUNT_PAGES.map(([name]) => name)
  const pages = await listPages()
  expect(pages).toEqual(expect.arrayContaining(['account_login', 'mfa_trust', 'usersessions_list', 'saml_acs']))
  expect(pages.filter((name) => !described.includes(name) && !isRepeated(name))).toEqual([])
})
