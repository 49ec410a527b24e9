import { unexpectedAnswer, unreachable } from './api-errors.ts'
import { CliError, EXIT } from './exit-code.ts'
import type { Io } from './io.ts'
import type { AuthorizationServer, Client, DeviceAuthorizationResponse, TokenEndpointResponse } from 'oauth4webapi'

/** The OAuth client that the service registers for its command line. */
const CLIENT_ID = 'gatepost-cli'
/** Default scopes. Without `openid`: an ID token isn't needed, and checking it depends on the clock. */
const SCOPES = 'channels:read channels:write channels:send account'
const SLOWER_SECONDS = 5
const TIMEOUT_MS = 15_000
/** Bounds in seconds for the server's polling interval and lifetimes. */
const INTERVAL = { least: 1, most: 60 } as const
const CONFIRM_MOST = 3600
const LIFE_MOST = 365 * 86_400

/** Tokens that `gatepost login` received from one server. */
export interface Credentials {
  readonly client_id: string
  readonly access_token: string
  readonly refresh_token: string
  /** Milliseconds since the Unix epoch. */
  readonly expires_at: number
}

/** A confirmed sign-in. */
export interface SignedIn {
  readonly credentials: Credentials
  /** `null`: as requested. */
  readonly scopes: readonly string[] | null
}

/** The service as an OAuth authorization server. Every call throws `CliError`. */
export interface OauthServer {
  /** Starts a device sign-in. @param scope Space-separated names; `undefined`: the default scopes. */
  begin(scope: string | undefined): Promise<DeviceAuthorizationResponse>
  /** Waits until the user confirms. @throws {CliError} `access_denied`, `expired_token` */
  wait(device: DeviceAuthorizationResponse): Promise<SignedIn>
  /** Returns new tokens; `null` if the server rejects the refresh token. */
  refresh(kept: Credentials): Promise<Credentials | null>
  /** Revokes the refresh token and its access tokens. */
  revoke(kept: Credentials): Promise<void>
}

type Oauth = typeof import('oauth4webapi')

/** Inputs of each protocol step. */
interface Steps {
  readonly io: Io
  readonly oauth: Oauth
  readonly server: AuthorizationServer
  readonly client: Client
  readonly options: object
  /** As `options`, for calls that Ctrl-C must not abort. */
  readonly lasting: object
  readonly ask: <R>(work: () => Promise<R>) => Promise<R>
}

/** Loads the OAuth library and the server's metadata. @see RFC 8628, RFC 8414, RFC 7009 */
export async function connectOAuth(io: Io, url: string): Promise<OauthServer> {
  const oauth = await import('oauth4webapi')
  const ask = mapOAuthErrors(url)
  const optionsFor = (signal: AbortSignal) => ({
    [oauth.customFetch]: (address: string, init: object) => fetchFromServer(io, url, address, { ...init, signal }),
    // oxlint-disable-next-line typescript/no-deprecated -- only for servers on this machine
    [oauth.allowInsecureRequests]: url.startsWith('http:'),
  })
  const options = optionsFor(io.signal)
  const server = await ask(async () => {
    const issuer = new URL(url)
    return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options))
  })
  const steps: Steps = { io, oauth, server, client: { client_id: CLIENT_ID }, options, lasting: optionsFor(NEVER), ask }
  return {
    async begin(scope = SCOPES) {
      const device = await beginDeviceFlow(steps, scope)
      const pages = [device.verification_uri, device.verification_uri_complete ?? device.verification_uri]
      // A page on another origin could sign the user in to a different server.
      if (!pages.every((page) => URL.parse(page)?.origin === new URL(url).origin)) throw unexpectedAnswer(url)
      return device
    },
    wait: (device) => waitForConfirmation(steps, device),
    refresh: (before) => refresh(steps, before),
    revoke: (before) =>
      ask(async () => {
        const sent = await oauth.revocationRequest(server, steps.client, oauth.None(), before.refresh_token, options)
        await oauth.processRevocationResponse(sent)
      }),
  }
}

const beginDeviceFlow = (
  { oauth, server, client, options, ask }: Steps,
  scope: string,
): Promise<DeviceAuthorizationResponse> =>
  ask(async () => {
    const sent = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), { scope }, options)
    return oauth.processDeviceAuthorizationResponse(server, client, sent)
  })

async function waitForConfirmation(steps: Steps, device: DeviceAuthorizationResponse): Promise<SignedIn> {
  const { io, oauth, server, client, options, ask } = steps
  const until = io.clock.now() + Math.min(device.expires_in, CONFIRM_MOST) * 1000
  let seconds = Math.min(Math.max(device.interval ?? SLOWER_SECONDS, INTERVAL.least), INTERVAL.most)
  while (io.clock.now() < until) {
    await io.clock.sleep(seconds * 1000, io.signal)
    if (io.signal.aborted) throw createInterruptedError()
    const answer = await ask(() =>
      orPending(oauth, async () => {
        const sent = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device.device_code, options)
        return oauth.processDeviceCodeResponse(server, client, sent)
      }),
    )
    if (typeof answer !== 'string') {
      return { credentials: toCredentials(io, answer, ''), scopes: answer.scope?.split(' ') ?? null }
    }
    if (answer === 'slow_down') seconds = Math.min(seconds + SLOWER_SECONDS, INTERVAL.most)
  }
  throw new CliError('expired_token', MESSAGES.expired_token, { hints: ['Run the command again.'] })
}

const refresh = (steps: Steps, before: Credentials): Promise<Credentials | null> =>
  steps.ask(async () => {
    const { io, oauth, server, client, lasting } = steps
    // Once sent, the old token may be used up, so this waits for the response.
    const sent = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), before.refresh_token, lasting)
    try {
      return toCredentials(io, await oauth.processRefreshTokenResponse(server, client, sent), before.refresh_token)
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return null
      throw error
    }
  })

/** @param refreshToken Used if the server returns no new one. */
const toCredentials = (io: Io, answer: TokenEndpointResponse, refreshToken: string): Credentials => ({
  client_id: CLIENT_ID,
  access_token: answer.access_token,
  refresh_token: answer.refresh_token ?? refreshToken,
  expires_at: io.clock.now() + Math.min(answer.expires_in ?? 0, LIFE_MOST) * 1000,
})

const createInterruptedError = (): CliError => new CliError('interrupted', 'Interrupted.', { exit: EXIT.interrupted })

/** Returns the result, or why there is none yet. An unreachable server is retried later. @see RFC 8628 section 3.5 */
async function orPending<R>(oauth: Oauth, work: () => Promise<R>): Promise<R | 'authorization_pending' | 'slow_down'> {
  try {
    return await work()
  } catch (error) {
    if (
      error instanceof oauth.ResponseBodyError &&
      (error.error === 'authorization_pending' || error.error === 'slow_down')
    ) {
      return error.error
    }
    if (error instanceof CliError && error.code === 'unreachable') return 'slow_down'
    throw error
  }
}

/** Sends a request. The server's own endpoints must be on its own origin. */
async function fetchFromServer(
  io: Io,
  url: string,
  address: string,
  init: { readonly signal: AbortSignal },
): Promise<Response> {
  if (new URL(address).origin !== new URL(url).origin) throw unexpectedAnswer(url)
  const signal = AbortSignal.any([init.signal, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    return await io.fetch(address, { ...init, redirect: 'manual', signal })
  } catch (error) {
    if (init.signal.aborted) throw createInterruptedError()
    throw unreachable(url, error)
  }
}

const NEVER = new AbortController().signal

const MESSAGES = {
  access_denied: 'The sign-in was denied.',
  expired_token: 'The code expired before it was confirmed.',
  invalid_client:
    "This server doesn't accept the command line as an OAuth client. Staff removed or changed gatepost-cli.",
  invalid_scope: "This server doesn't allow these scopes for the command line.",
} as const
const MESSAGE_BY_CODE: ReadonlyMap<string, string> = new Map(Object.entries(MESSAGES))

/** Runs a protocol step, turning OAuth errors into `CliError`. */
const mapOAuthErrors =
  (url: string) =>
  async <R>(work: () => Promise<R>): Promise<R> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof CliError) throw error
      const code: unknown = error instanceof Error ? Reflect.get(error, 'error') : undefined
      if (typeof code === 'string') {
        throw new CliError(code, MESSAGE_BY_CODE.get(code) ?? 'The server refused the sign-in.', {
          exit: EXIT.unauthorized,
          cause: error,
        })
      }
      throw new CliError('unexpected_answer', unexpectedAnswer(url).message, {
        exit: EXIT.unreachable,
        hints: [
          findServerNameHint(error) ??
            'Signing in requires IDP_OIDC_ENABLED on the server. Pass its public address (GATEPOST_PUBLIC_URL) as --url.',
        ],
        cause: error,
      })
    }
  }

/** Returns a hint if the server was reached past its proxy, under another name than its own; otherwise `null`. */
function findServerNameHint(error: unknown): string | null {
  const cause: unknown = error instanceof Error ? error.cause : null
  if (typeof cause !== 'object' || cause === null || !('attribute' in cause) || cause.attribute !== 'issuer')
    return null
  const body: unknown = 'body' in cause ? cause.body : null
  const issuer: unknown = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : null
  const origin = typeof issuer === 'string' ? URL.parse(issuer)?.origin : undefined
  return origin === undefined ? null : `The server's address is ${origin}: use --url ${origin}`
}
