import { expect, it } from 'vitest'
import { authWorld } from './testing/auth-world.ts'
import { EMAIL_HOOKS } from './testing/hooks/email-and-mail.ts'
import { LOGIN_HOOKS } from './testing/hooks/login-and-phone.ts'
import { MODULE_HOOKS, MODULES } from './testing/hooks/modules.ts'
import { OIDC_HOOKS } from './testing/hooks/oidc.ts'
import { PAGE_HOOKS } from './testing/hooks/pages-and-signup.ts'
import { SOCIAL_HOOKS } from './testing/hooks/social.ts'

const OF_MODULES = [...MODULE_HOOKS, ...OIDC_HOOKS, ...SOCIAL_HOOKS]
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
  const hooks = [...Object.keys(world.auth.account.adapter), ...OLD_FORMS]
  await world.close()
  expect(hooks.toSorted()).toEqual(CHANGES.map(({ hook }) => hook).toSorted())
})

it.each(OF_MODULES.map((change) => [change.hook, change] as const))('%s of a host is called', async (_hook, change) => {
  const { settings = {}, adapters, observe, expected } = change
  const world = await authWorld({ settings: { ...MODULES, ...settings }, adapters })
  try {
    expect(await observe(world)).toEqual(expected)
  } finally {
    await world.close()
  }
})

it('is shown of every hook of the modules', async () => {
  const world = await authWorld({
    settings: { ...MODULES, idpOidc: { enabled: true }, socialaccount: { enabled: true } },
  })
  const mfa = world.auth.module('mfa')
  const headless = world.auth.module('headless')
  const userSessions = world.auth.module('sessions')
  const oidc = world.auth.module('oidc')
  const social = world.auth.module('social')
  const modules = {
    mfa: mfa.adapter,
    headless: headless.adapter,
    usersessions: userSessions.adapter,
    oidc: oidc.adapter,
    socialaccount: social.adapter,
  }
  await world.close()
  const hooks = Object.entries(modules).flatMap(([name, adapter]) =>
    Object.keys(adapter).map((hook) => `${name}.${hook}`),
  )
  hooks.push('socialaccount.authenticationError')
  expect(hooks.toSorted()).toEqual(OF_MODULES.map(({ hook }) => hook).toSorted())
})
