import {
  addClient,
  readAuthorizationResponse,
  authorizePath,
  followRedirects,
  post,
  SIGNING_KEY,
  tokensFor,
} from '../oidc/pages/testing-relying-party.ts'
import { ADA, member, PASSWORD } from './effects/effect.ts'
import type { Tour } from './tour.ts'

const DEVICE = '/identity/o/device'
const CLIENTS = '/accounts/admin/clients/'

/** Tours of our OpenID Connect provider's pages, like `TOURS` for accounts. */
export const OIDC_TOURS: Readonly<Record<string, Tour>> = {
  'our OpenID Connect provider': {
    settings: { idpOidc: { enabled: true, privateKey: SIGNING_KEY } },
    async walk(world) {
      const client = await addClient(world)
      const ada = world.visitor()
      await world.addUser(ADA)
      const login = await followRedirects(ada, await ada.get(authorizePath(client)))
      const consent = await followRedirects(ada, await ada.post(login.at, { login: ADA.username, password: PASSWORD }))
      await ada.post(consent.at, { action: 'grant' })
      const granted = await followRedirects(ada, await ada.post(consent.at, { action: 'grant', scope_openid: 'on' }))
      const { id_token: hint } = await tokensFor(world, client, readAuthorizationResponse(granted)['code'] ?? '')
      await ada.get(consent.at)
      for (const action of ['confirm', 'deny']) {
        const asked = await post(world, '/identity/o/api/device/code', { client_id: client.id, scope: 'openid' })
        const code = String(asked['user_code'])
        await ada.get(DEVICE)
        await ada.get(`${DEVICE}?code=${code}`)
        await ada.post(DEVICE, { code, action })
      }
      await ada.get('/accounts/applications/')
      await ada.post('/accounts/applications/', { client: client.id })
      await ada.get(`/identity/o/logout?id_token_hint=${String(hint)}`)
    },
  },
  'clients of our provider': {
    settings: { idpOidc: { enabled: true, privateKey: SIGNING_KEY } },
    async walk(world) {
      const ada = await member(world, { ...ADA, isStaff: true })
      await ada.get(CLIENTS)
      await ada.get(`${CLIENTS}add/`)
      await ada.post(`${CLIENTS}add/`, { name: 'Notes' })
      const { auth } = world
      const [client] = await auth.module('oidc').clients.list(auth.kernel.database.db)
      await ada.get(`${CLIENTS}${client?.id}/`)
      await ada.post(`${CLIENTS}${client?.id}/`, { name: 'Papers' })
      await ada.get(`${CLIENTS}${client?.id}/secret/`)
      await ada.post(`${CLIENTS}${client?.id}/remove/`)
    },
  },
}
