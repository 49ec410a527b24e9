import { answerRequest, type SeenRequest } from './requests.ts'
import { type Served, serveFetch } from './serve-fetch.ts'
import type { Call } from './shape.ts'
import type { State } from './state.ts'

/** Names under which the protocols know a client. */
const CLIENT_NAMES = ['client_id', 'app_id', 'appid', 'client_key', 'bot_id', 'app', 'openid.realm']

const clientIn = ({ url }: Call): string =>
  CLIENT_NAMES.map((name) => url.searchParams.get(name)).find((each) => each !== null) ?? 'A service'

/** Serves the providers of `state` on loopback. Rejects when the port is taken. */
export async function serveIdentityProviders(state: State, seen: SeenRequest[], port: number): Promise<Served> {
  const served = await serveFetch(port, (request, ask) =>
    answerRequest(state, seen, request, (call) => ask(call.provider, clientIn(call), state.person)),
  )
  state.servedAt = served.url
  return {
    url: served.url,
    close() {
      state.servedAt = null
      return served.close()
    },
  }
}
