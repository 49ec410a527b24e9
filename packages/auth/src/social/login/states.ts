import type { Visit } from '../../kernel/visit.ts'
import type { JsonObject } from '../../kernel/settings/json-object.ts'
import type { UserId } from '../../kernel/users/user.ts'
import type { Provider } from '../provider.ts'
import type { SocialState } from '../social-login.ts'

/** Entry of the session that holds the handshakes under way. */
const KEY = 'socialaccount_states'
/** Of more, which other tabs may have begun, the oldest one is forgotten. */
const MOST = 5
const LIFE_MS = 600_000

/** A handshake under way. */
export interface Handshake {
  readonly id: string
  /** The id was sent along, and must come back: an answer without it is to nobody's question. */
  readonly isNamed: boolean
  /** Names the app: an answer of another provider does not belong to it (RFC 9700 section 4.4, mix-up). */
  readonly app: string
  /** Who was signed in. */
  readonly user: UserId | null
  readonly state: SocialState
  /** Of the exchange. */
  readonly kept: JsonObject
  readonly atMs: number
}

const appKey = ({ app }: Provider): string => JSON.stringify([app.provider, app.providerId, app.clientId])

function handshakes(request: Visit): readonly Handshake[] {
  const stored = request.session.get(KEY)
  const all = Array.isArray(stored) ? (stored as readonly Handshake[]) : [] // written here alone; sessions are sealed
  return all.filter(({ atMs }) => request.nowMs - atMs < LIFE_MS)
}

/** Keeps a handshake for the visitor's return. */
export function keepHandshake(
  request: Visit,
  provider: Provider,
  begun: Pick<Handshake, 'id' | 'isNamed' | 'state' | 'kept'>,
): void {
  const handshake: Handshake = { ...begun, app: appKey(provider), user: request.user?.id ?? null, atMs: request.nowMs }
  const others = handshakes(request).filter(({ id }) => id !== begun.id)
  request.session.set(KEY, [...others, handshake].slice(-MOST))
}

/**
 * The handshake with this app that a visitor came back from.
 * @param id As it came back; `null`: the newest one of those that cannot bring it back is meant.
 */
export function findHandshake(request: Visit, provider: Provider, id: string | null): Handshake | null {
  const own = handshakes(request).filter(({ app }) => app === appKey(provider))
  return own.findLast((handshake) => (id === null ? !handshake.isNamed : handshake.id === id)) ?? null
}

/** Forgets it: the caller commits the session before it takes effect. */
export function dropHandshake(request: Visit, { id }: Handshake): void {
  const others = handshakes(request).filter((other) => other.id !== id)
  if (others.length === 0) request.session.delete(KEY)
  else request.session.set(KEY, others)
}
