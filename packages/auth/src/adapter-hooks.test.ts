import { expect, it } from 'vitest'
import { authWorld } from './testing/auth-world.ts'
import { EMAIL_HOOKS } from './testing/hooks/email-and-mail.ts'
import { LOGIN_HOOKS } from './testing/hooks/login-and-phone.ts'
import { PAGE_HOOKS } from './testing/hooks/pages-and-signup.ts'

const CHANGES = [...EMAIL_HOOKS, ...PAGE_HOOKS, ...LOGIN_HOOKS]
/** Forms of the contract, which stand for other hooks. */
const OLD_FORMS = ['getEmailConfirmationRedirectUrl', 'sendMailToUsers']

it.each(CHANGES.map((change) => [change.hook, change] as const))('%s of a host is called', async (_hook, change) => {
  const { settings = {}, adapter, pages } = change
  const world = await authWorld({
    settings,
    adapters: { account: adapter },
    ...(pages === undefined ? {} : { pages }),
  })
  try {
    expect(await change.observe(world)).toEqual(change.expected)
  } finally {
    await world.close()
  }
})

it('is shown of every hook', async () => {
  const world = await authWorld()
  const hooks = [...Object.keys(world.auth.core.adapter), ...OLD_FORMS]
  await world.close()
  expect(hooks.toSorted()).toEqual(CHANGES.map(({ hook }) => hook).toSorted())
})
