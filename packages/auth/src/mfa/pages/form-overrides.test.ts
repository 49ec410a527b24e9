import { afterEach, expect, it } from 'vitest'
import type { FormId } from '../../compose.ts'
import type { AuthSettingsInput } from '../../kernel/settings/settings.ts'
import { type AuthWorld, authWorld, ORIGIN } from '../../testing/auth-world.ts'
import { softwareAuthenticator } from '../../testing/authenticator.ts'
import { withColour } from '../../testing/coloured-form.ts'
import { codeTo } from '../../testing/effects/effect.ts'
import { VERIFY_CODES } from '../../testing/hooks/hook.ts'
import type { Visited, Visitor } from '../../testing/visitor.ts'
import { ADA, ada, addApp, addKey, totpAppFromPage, readPageData, LOGIN, PASSWORD, TWO } from './testing-visits.ts'

const MFA = {
  enabled: true,
  supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
  passkeyLoginEnabled: true,
} as const
const XHR = { 'x-requested-with': 'XMLHttpRequest' }
const LONG_MS = 3_600_000

let world: AuthWorld
afterEach(() => world.close())

/** A visitor at a form, and the fields they post in addition to the color, given the latest page. */
interface AtForm {
  readonly visitor: Visitor
  readonly path: string
  fields(page: Visited): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
}
const creation = (page: Visited): string =>
  JSON.stringify(softwareAuthenticator({ origin: ORIGIN }).create(readPageData(page).publicKey))

async function openSecondStepForm(): Promise<AtForm> {
  const app = await addApp(world, await ada(world))
  const visitor = world.visitor()
  await visitor.login(ADA.username, PASSWORD)
  return { visitor, path: `${TWO}authenticate/`, fields: () => ({ code: app() }) }
}

async function openPasskeySignupForm(): Promise<AtForm> {
  const visitor = world.visitor()
  await visitor.post('/accounts/signup/passkey/', { username: ADA.username, email: ADA.email })
  await visitor.post('/accounts/confirm-email/', { code: await codeTo(world, ADA.email) })
  return { visitor, path: `${TWO}webauthn/signup/`, fields: (page) => ({ credential: creation(page) }) }
}

/** Ada with what `add` adds, before a form that has nothing else to fill in. */
const openEmptyForm = async (path: string, add: (visitor: Visitor) => Promise<unknown>): Promise<AtForm> => {
  const visitor = await ada(world)
  await add(visitor)
  return { visitor, path, fields: () => ({}) }
}

const forms: readonly [id: FormId, open: () => Promise<AtForm>, settings?: AuthSettingsInput][] = [
  ['mfa_authenticate', openSecondStepForm],
  [
    'mfa_reauthenticate',
    async () => {
      const visitor = await ada(world)
      const app = await addApp(world, visitor)
      return { visitor, path: `${TWO}reauthenticate/`, fields: () => ({ code: app() }) }
    },
  ],
  [
    'activate_totp',
    async () => ({
      visitor: await ada(world),
      path: `${TWO}totp/activate/`,
      fields: (page) => ({ code: totpAppFromPage(page, world)() }),
    }),
  ],
  ['deactivate_totp', () => openEmptyForm(`${TWO}totp/deactivate/`, (visitor) => addApp(world, visitor))],
  [
    'generate_recovery_codes',
    () => openEmptyForm(`${TWO}recovery-codes/generate/`, (visitor) => addApp(world, visitor)),
  ],
  [
    'add_webauthn',
    async () => ({
      visitor: await ada(world),
      path: `${TWO}webauthn/add/`,
      fields: (page) => ({ name: 'Blue key', credential: creation(page) }),
    }),
  ],
  [
    'edit_webauthn',
    async () => {
      const visitor = await ada(world)
      await addKey(visitor)
      return { visitor, path: `${TWO}webauthn/keys/1/edit/`, fields: () => ({ name: 'Red key' }) }
    },
  ],
  [
    'authenticate_webauthn',
    async () => {
      const key = await addKey(await ada(world))
      const visitor = world.visitor()
      await visitor.login(ADA.username, PASSWORD)
      const path = `${TWO}authenticate/`
      return {
        visitor,
        path,
        fields: (page) => ({ credential: JSON.stringify(key.get(readPageData(page).publicKey)) }),
      }
    },
  ],
  ['signup_webauthn', openPasskeySignupForm, { ...VERIFY_CODES, mfa: { ...MFA, passkeySignupEnabled: true } }],
]

it.each(forms)('%s of a host: more fields, more rules, another save', async (id, open, settings = {}) => {
  const kept: unknown[] = []
  world = await authWorld({ settings: { mfa: MFA, ...settings }, forms: withColour(id, kept) })
  const { visitor, path, fields } = await open()
  const page = await visitor.get(path)
  expect(page.html).toContain('name="colour"')
  const without = await visitor.post(path, await fields(page))
  expect(without.text).toContain('Favourite colour This field is required.')
  const grey = await visitor.post(path, { ...(await fields(without)), colour: 'grey' })
  expect(grey.text).toContain('Grey is no colour.')
  expect(kept).toEqual([])
  const done = await visitor.post(path, { ...(await fields(grey)), colour: ' green ' })
  expect([done.status, kept]).toEqual([302, ['green']])
})

/** Forms that a script posts, and that no page shows again. */
const posted: readonly [
  id: FormId,
  open: () => Promise<{ readonly visitor: Visitor; send(colour: string): Promise<Visited> }>,
][] = [
  [
    'login_webauthn',
    async () => {
      const key = await addKey(await ada(world), { passkey: true })
      const visitor = world.visitor()
      const path = `${TWO}webauthn/login/`
      return {
        visitor,
        async send(colour) {
          const { request_options: options } = JSON.parse((await visitor.get(path, XHR)).html) as {
            request_options: { publicKey: Record<string, unknown> }
          } // as the page answers scripts
          return visitor.post(path, { credential: JSON.stringify(key.get(options.publicKey)), colour })
        },
      }
    },
  ],
  [
    'reauthenticate_webauthn',
    async () => {
      const visitor = await ada(world)
      const key = await addKey(visitor)
      world.clock.advance(LONG_MS)
      const path = `${TWO}webauthn/reauthenticate/`
      const send = async (colour: string): Promise<Visited> => {
        const { publicKey } = readPageData(await visitor.get(path))
        return visitor.post(path, { credential: JSON.stringify(key.get(publicKey)), colour, next: TWO })
      }
      return { visitor, send }
    },
  ],
]

it.each(posted)('%s of a host: its errors are shown on the next page', async (id, open) => {
  const kept: unknown[] = []
  world = await authWorld({ settings: { mfa: MFA }, forms: withColour(id, kept) })
  const { visitor, send } = await open()
  const refused = await send('grey')
  expect(refused.location).toMatch(new RegExp(`^${LOGIN}`))
  expect((await visitor.follow(refused)).text).toContain('Grey is no colour.')
  expect(kept).toEqual([])
  expect([(await send('green')).status, kept]).toEqual([302, ['green']])
})
