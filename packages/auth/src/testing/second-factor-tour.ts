import { addApp, addKey, readPageData, TWO } from '../mfa/pages/testing-visits.ts'
import { ORIGIN } from './auth-world.ts'
import { softwareAuthenticator } from './authenticator.ts'
import { ADA, codeTo, member, PASSWORD } from './effects/effect.ts'
import { NOTIFIED, VERIFY_CODES } from './hooks/hook.ts'
import type { Tour } from './tour.ts'

const MFA = {
  enabled: true,
  supportedTypes: ['recovery_codes', 'totp', 'webauthn'],
  passkeyLoginEnabled: true,
  trustEnabled: true,
} as const

/** Tours of the pages for second factors and sessions, like `TOURS` for accounts. */
export const SECOND_FACTOR_TOURS: Readonly<Record<string, Tour>> = {
  'second factors': {
    settings: { account: { ...NOTIFIED.account }, mfa: MFA, usersessions: { enabled: true } },
    async walk(world) {
      const ada = await member(world)
      for (const path of ['', 'webauthn/', 'recovery-codes/generate/']) await ada.get(TWO + path)
      const app = await addApp(world, ada)
      await addKey(ada)
      const pages = [
        'recovery-codes/',
        'recovery-codes/download/',
        'recovery-codes/generate/',
        'webauthn/',
        'reauthenticate/',
      ]
      const keys = ['webauthn/reauthenticate/', 'webauthn/keys/3/edit/', 'webauthn/keys/3/remove/', 'totp/deactivate/']
      for (const path of ['', ...pages, ...keys]) await ada.get(TWO + path)
      const again = world.visitor()
      await again.login(ADA.username, PASSWORD)
      await again.get(`${TWO}authenticate/`)
      await again.post(`${TWO}authenticate/`, { code: app() })
      await again.get(`${TWO}trust/`)
      await again.post(`${TWO}trust/`, { action: 'trust' })
      await again.get('/accounts/sessions/')
      await again.post('/accounts/sessions/')
      await again.get('/accounts/sessions/')
      for (const path of ['recovery-codes/generate/', 'totp/deactivate/', 'webauthn/keys/3/remove/']) {
        await again.post(TWO + path)
      }
    },
  },
  'a sign-up by passkey': {
    settings: { ...VERIFY_CODES, mfa: { ...MFA, passkeySignupEnabled: true } },
    async walk(world) {
      const ada = world.visitor()
      await ada.get('/accounts/signup/passkey/')
      await ada.post('/accounts/signup/passkey/', { username: ADA.username, email: ADA.email })
      await ada.post('/accounts/confirm-email/', { code: await codeTo(world, ADA.email) })
      const { publicKey } = readPageData(await ada.get(`${TWO}webauthn/signup/`))
      const credential = softwareAuthenticator({ origin: ORIGIN }).create(publicKey)
      await ada.post(`${TWO}webauthn/signup/`, { credential: JSON.stringify(credential) })
    },
  },
}
