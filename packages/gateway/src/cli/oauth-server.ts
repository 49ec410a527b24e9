import { unexpectedAnswer, unreachable } from './api-failure.ts'
import { CliError, EXIT } from './exit-code.ts'
import type { Io } from './io.ts'
import type { AuthorizationServer, Client, DeviceAuthorizationResponse, TokenEndpointResponse } from 'oauth4webapi'

/** The client that the service makes for its command line. */
const CLIENT_ID = 'gatepost-cli'
/** What a sign-in is for unless somebody says otherwise. */
const SCOPES = 'openid channels:read channels:write channels:send account'
const SLOWER_SECONDS = 5
const TIMEOUT_MS = 15_000

/** What `gatepost login` has been given for one server. */
export interface Credentials {
  readonly client_id: string
  readonly access_token: string
  readonly refresh_token: string
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number
}

/** The service as an authorization server. Every call throws `CliError`. */
export interface OauthServer {
  /** @param scope Names with blanks between them; `undefined`: those of everyday work. */
  begin(scope: string | undefined): Promise<DeviceAuthorizationResponse>
  /** Waits for the person. @throws {CliError} `access_denied`, `expired_token` */
  wait(device: DeviceAuthorizationResponse): Promise<Credentials>
  /** `null`: the refresh token is not taken any more. */
  refresh(kept: Credentials): Promise<Credentials | null>
  /** Ends the refresh token and what came of it. */
  revoke(kept: Credentials): Promise<void>
}

type Oauth = typeof import('oauth4webapi')

/** What a step of the protocol is made of. */
interface Steps {
  readonly io: Io
  readonly oauth: Oauth
  readonly server: AuthorizationServer
  readonly client: Client
  readonly options: object
  readonly ask: <R>(work: () => Promise<R>) => Promise<R>
}

/** Loads the protocol, and asks the server what it can do. @see RFC 8628, RFC 8414, RFC 7009 */
export async function oauthServer(io: Io, url: string): Promise<OauthServer> {
  const oauth = await import('oauth4webapi')
  const ask = asking(url)
  const options = {
    [oauth.customFetch]: (address: string, init: object) => called(io, url, address, init),
    // oxlint-disable-next-line typescript/no-deprecated -- a server on this machine; no other is asked without TLS
    [oauth.allowInsecureRequests]: url.startsWith('http:'),
  }
  const server = await ask(async () => {
    const issuer = new URL(url)
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  })
  const steps: Steps = { io, oauth, server, client: { client_id: CLIENT_ID }, options, ask }
  return {
    begin: (scope = SCOPES) => begin(steps, scope),
    wait: (device) => wait(steps, device),
    refresh: (before) => refresh(steps, before),
    revoke: (before) =>
      ask(async () => {
        const sent = await oauth.revocationRequest(server, steps.client, oauth.None(), before.refresh_token, options)
        await oauth.processRevocationResponse(sent)
      }),
  }
}

const begin = ({ oauth, server, client, options, ask }: Steps, scope: string): Promise<DeviceAuthorizationResponse> =>
  ask(async () => {
    const sent = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope }, options)
    return oauth.processDeviceAuthorizationResponse(server, client, sent)
  })

async function wait(steps: Steps, device: DeviceAuthorizationResponse): Promise<Credentials> {
  const { io, oauth, server, client, options, ask } = steps
  const until = io.clock.now() + device.expires_in * 1000
  for (let seconds = device.interval ?? SLOWER_SECONDS; io.clock.now() < until; ) {
    await io.clock.sleep(seconds * 1000, io.signal)
    if (io.signal.aborted) throw interrupted()
    const answer = await ask(async () => {
      const sent = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, options)
      return pendingOr(oauth, () => oauth.processDeviceCodeResponse(server, client, sent))
    })
    if (typeof answer !== 'string') return credentialsOf(io, answer, '')
    if (answer === 'slow_down') seconds += SLOWER_SECONDS
  }
  throw new CliError('expired_token', SENTENCES.expired_token, { hints: ['Begin again.'] })
}

const refresh = (steps: Steps, before: Credentials): Promise<Credentials | null> =>
  steps.ask(async () => {
    const { io, oauth, server, client, options } = steps
    const sent = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), before.refresh_token, options)
    try {
      return credentialsOf(io, await oauth.processRefreshTokenResponse(server, client, sent), before.refresh_token)
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return null
      throw error
    }
  })

/** @param refreshToken Goes on to be valid where the server does not give another one. */
const credentialsOf = (io: Io, answer: TokenEndpointResponse, refreshToken: string): Credentials => ({
  client_id: CLIENT_ID,
  access_token: answer.access_token,
  refresh_token: answer.refresh_token ?? refreshToken,
  expires_at: io.clock.now() + (answer.expires_in ?? 0) * 1000,
})

const interrupted = (): CliError => new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })

/** What is answered, or why it is not yet. */
async function pendingOr<R>(oauth: Oauth, work: () => Promise<R>): Promise<R | 'authorization_pending' | 'slow_down'> {
  try {
    return await work()
  } catch (error) {
    if (
      error instanceof oauth.ResponseBodyError &&
      (error.error === 'authorization_pending' || error.error === 'slow_down')
    ) {
      return error.error
    }
    throw error
  }
}

/** What the server says of its addresses must stay with it. */
async function called(io: Io, url: string, address: string, init: object): Promise<Response> {
  if (new URL(address).origin !== new URL(url).origin) throw unexpectedAnswer(url)
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return await io.fetch(address, { ...init, redirect: 'manual', signal })
  } catch (error) {
    if (io.signal.aborted) throw interrupted()
    throw unreachable(url, error)
  }
}

const SENTENCES = {
  access_denied: 'The sign-in was refused.',
  expired_token: 'Nobody has confirmed the code in time.',
  invalid_client: 'This server does not know the command line: staff have removed its client.',
  invalid_scope: 'This server does not allow these scopes to the command line.',
} as const
const SENTENCE_OF: ReadonlyMap<string, string> = new Map(Object.entries(SENTENCES))

/** Runs a step of the protocol; what the server refuses is said in a sentence. */
const asking =
  (url: string) =>
  async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CliError) throw error
      const code: unknown = error instanceof Error ? Reflect.get(error, 'error') : undefined
      if (typeof code === 'string') {
        throw new CliError(code, SENTENCE_OF.get(code) ?? 'The server refused the sign-in.', {
          exit: EXIT.unauthorized,
          cause: error,
        })
      }
      throw new CliError('unexpected_answer', unexpectedAnswer(url).message, {
        exit: EXIT.unreachable,
        hints: ['Signing in needs IDP_OIDC_ENABLED at the server.'],
        cause: error,
      })
    }
  }
