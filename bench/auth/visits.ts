import { now, pause } from '../machine.ts'
import type { Client } from './http-client.ts'
import { PASSWORD, type Population, toSessionToken, toUserName } from './people.ts'

/** Makes one visit; `at` is its number. @throws {Error} for an unexpected response */
export type Visit = (client: Client, at: number) => Promise<void>

const CSRF = 'benchbenchbenchbenchbenchbench12'

/**
 * Distributes visits over all users, the same in every run.
 * @see Knuth, "The Art of Computer Programming" 6.4: multiplicative hashing
 */
const spread = (at: number, over: number): number => (Math.imul(at, 2_654_435_761) >>> 0) % over

/** Returns a different client address for each login, so that rate limits per address are written but never reached. */
const address = (at: number): string => `10.${(at >> 16) & 255}.${(at >> 8) & 255}.${at & 255}`

/** Checks a session. */
export const checkVisit =
  ({ sessions, users }: Population): Visit =>
  async (client, at) => {
    const session = spread(at, sessions)
    const { status, body } = await client.get('/check', { cookie: `sessionid=${toSessionToken(session)}` })
    if (status !== 200 || body !== `{"name":"${toUserName((session % users) + 1)}"}`) {
      throw new Error(`unexpected response to a check: ${status} ${body}`)
    }
  }

/** Posts the login form. */
export const loginVisit =
  ({ users }: Population): Visit =>
  async (client, at) => {
    const fields = { csrfmiddlewaretoken: CSRF, login: toUserName((at % users) + 1), password: PASSWORD }
    const headers = { cookie: `csrftoken=${CSRF}`, 'x-forwarded-for': address(at) }
    const { status, head, body } = await client.post('/accounts/login/', fields, headers)
    if (status !== 302 || !/set-cookie: sessionid=/i.test(head)) {
      throw new Error(`unexpected response to a login: ${status} ${body.slice(0, 200)}`)
    }
  }

const APP = '/_allauth/app/v1/'

/** Signs in through the JSON API. @returns the session token */
export async function apiLogin(client: Client, user: number, at: number): Promise<string> {
  const credentials = { username: toUserName(user), password: PASSWORD }
  const { status, body } = await client.postJson(`${APP}auth/login`, credentials, { 'x-forwarded-for': address(at) })
  const token = /"session_token":"([\w-]+)"/.exec(body)?.[1]
  if (status !== 200 || token === undefined)
    throw new Error(`unexpected response to an API login: ${status} ${body.slice(0, 200)}`)
  return token
}

/** Signs in through the JSON API. */
export const apiLoginVisit =
  ({ users }: Population): Visit =>
  async (client, at) => {
    await apiLogin(client, (at % users) + 1, at)
  }

/** Signs in with the flow alone, in the host's own route. */
export const flowLoginVisit =
  ({ users }: Population): Visit =>
  async (client, at) => {
    const name = toUserName((at % users) + 1)
    const headers = { 'x-forwarded-for': address(at) }
    const { status, body } = await client.postJson('/flow-login', { username: name, password: PASSWORD }, headers)
    if (status !== 200 || body !== `{"name":"${name}"}`)
      throw new Error(`unexpected response to a flow login: ${status} ${body}`)
  }

/** Requests a session from the JSON API. @param tokens Tokens of sessions created by API logins. */
export const sessionVisit =
  (tokens: readonly string[]): Visit =>
  async (client, at) => {
    const token = tokens[spread(at, tokens.length)] ?? ''
    const headers = { 'x-session-token': token, 'x-forwarded-for': '10.0.0.1' }
    const { status, body } = await client.get(`${APP}auth/session`, headers)
    if (status !== 200 || !body.includes('"method":"password"'))
      throw new Error(`unexpected response to a session request: ${status} ${body}`)
  }

/** Opens the login page. */
export const pageVisit: Visit = async (client, at) => {
  const headers = { cookie: `csrftoken=${CSRF}`, 'x-forwarded-for': address(at), 'accept-language': 'en' }
  const { status, body } = await client.get('/accounts/login/', headers)
  if (status !== 200 || !body.includes('name="password"'))
    throw new Error(`unexpected response for the login page: ${status}`)
}

/** Makes `count` visits, `atOnce` at a time. @param from Number of the first visit. @returns how long it took, ms */
export async function visitAll(
  client: Client,
  visit: Visit,
  { from, count, atOnce }: { readonly from: number; readonly count: number; readonly atOnce: number },
): Promise<number> {
  let next = from
  const lane = async (): Promise<void> => {
    while (next < from + count) await visit(client, next++)
  }
  const beganAtMs = now()
  await Promise.all(Array.from({ length: atOnce }, lane))
  return now() - beganAtMs
}

/** Makes `count` visits at a steady rate per second, even if earlier ones are pending. */
export async function visitSteadily(
  client: Client,
  visit: Visit,
  { from, count, perSecond }: { readonly from: number; readonly count: number; readonly perSecond: number },
): Promise<void> {
  const running: Promise<void>[] = []
  const beganAtMs = now()
  while (running.length < count) {
    const due = Math.min(count, ((now() - beganAtMs) * perSecond) / 1000)
    while (running.length < due) running.push(visit(client, from + running.length))
    await pause(1)
  }
  await Promise.all(running)
}
