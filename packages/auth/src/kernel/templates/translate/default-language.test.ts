import { expect, it } from 'vitest'
import { authWorld } from '../../../testing/auth-world.ts'

it.each([
  ['LANGUAGE_CODE to who asks for none', {}, 'de'],
  ['LANGUAGE_CODE to who asks for one that is not there', { language: 'fi' }, 'de'],
  ['what they ask for to others', { language: 'fr, de;q=0.5' }, 'fr'],
])('shows %s', async (_why, visitor, language) => {
  const world = await authWorld({ settings: { languageCode: 'de' } })
  const page = await world.visitor(visitor).get('/accounts/login/')
  expect(page.html).toContain(`<html lang="${language}"`)
  await world.close()
})

it.each([
  ['de-at', 'Anmelden'],
  ['zh-cn', '登录'],
  ['zh_Hans_SG', '登录'],
  ['zh-tw', 'Sign in'],
  ['en-us', 'Sign in'],
  ['nl', 'Sign in'],
])('a site in %s shows the nearest texts there are', async (languageCode, title) => {
  const world = await authWorld({ settings: { languageCode, languages: [] } })
  const page = await world.visitor({ language: languageCode }).get('/accounts/login/')
  expect(page.html).toContain(`<html lang="${languageCode.toLowerCase().replaceAll('_', '-')}"`)
  expect(page.text).toContain(title)
  await world.close()
})
