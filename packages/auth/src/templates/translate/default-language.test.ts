import { expect, it } from 'vitest'
import { authWorld } from '../../testing/auth-world.ts'

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
