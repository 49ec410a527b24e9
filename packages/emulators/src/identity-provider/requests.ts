import { type Ask, answerCall } from './answer.ts'
import { readCall } from './call.ts'
import { faultReply } from './faults.ts'
import { textReply } from './reply.ts'
import { matching, routesOf } from './routes.ts'
import type { CallKind, Shape } from './shape.ts'
import { SHAPES } from './shapes.ts'
import { faultAt, type State } from './state.ts'

/** A request that was received, for assertions of the wire. */
export interface SeenRequest {
  readonly provider: string
  readonly kind: CallKind
  readonly method: string
  /** The real address, also when the request came to the served one. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** @throws {Error} when there is no such provider */
export function shapeOf(provider: string): Shape {
  const shape = Object.hasOwn(SHAPES, provider) ? SHAPES[provider] : undefined
  if (shape === undefined) throw new Error(`no provider ${provider}`)
  return shape
}

const ROUTES = routesOf(SHAPES)

/** A real address as this client must call it. */
export const addressAt = (servedAt: string | null, provider: string, real: string): string =>
  servedAt === null ? real : `${servedAt}/${provider}/${real.replace(/^https:\/\//, '')}`

/** Undoes `addressAt`: the provider and the real address. */
function realAddress(sentTo: string, servedAt: string | null): readonly [provider: string | null, real: URL | null] {
  if (servedAt === null || !sentTo.startsWith(`${servedAt}/`)) return [null, new URL(sentTo)]
  const [provider = '', ...rest] = sentTo.slice(servedAt.length + 1).split('/')
  return [provider, URL.parse(`https://${rest.join('/')}`)]
}

/** Answers one request, after it was seen. */
export async function answerRequest(
  state: State,
  seen: SeenRequest[],
  request: Request,
  ask: Ask = () => Promise.resolve(state.person),
): Promise<Response> {
  const [provider, real] = realAddress(request.url, state.servedAt)
  const [route, ...others] = real === null ? [] : matching(ROUTES, real, provider)
  if (real === null || route === undefined) return textReply(404, 'Not found')
  const servedAt = provider === null ? null : state.servedAt
  const atOf =
    (id: string): ((address: string) => string) =>
    (address) =>
      addressAt(servedAt, id, address)
  const call = await readCall(request, [route, ...others], real, atOf)
  seen.push({
    provider: call.provider,
    kind: call.kind,
    method: call.method,
    url: real.href,
    headers: Object.fromEntries(request.headers),
    body: call.body,
  })
  const shape = shapeOf(call.provider)
  const fault = faultAt(state, call.provider, call.kind)
  const broken = await faultReply(fault, shape, call, request.signal)
  if (broken !== null) return broken
  return answerCall(state, shape, call, fault === 'denied' ? () => Promise.resolve(null) : ask)
}
