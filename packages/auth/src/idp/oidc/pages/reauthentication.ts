import type { Core } from '../../../core.ts'
import type { AuthRequest } from '../../../request.ts'

const KEY = 'idp_oidc_reauthentication'

/** What of the authentication records was there when a person was asked to confirm who they are. */
interface Asked {
  readonly uid: string
  readonly count: number
  /** Of the newest one; seconds since the Unix epoch. */
  readonly at: number | null
}

function recordsNow(core: Core, request: AuthRequest): Pick<Asked, 'count' | 'at'> {
  const records = core.login.records(request)
  return { count: records.length, at: records.at(-1)?.at ?? null }
}

/** Notes that from now on it counts when the person confirms who they are, or signs in. */
export function askToConfirm(core: Core, request: AuthRequest, uid: string): void {
  request.session.set(KEY, { uid, ...recordsNow(core, request) } satisfies Asked)
}

/** Whether the person has confirmed who they are since they were asked to for this authorization request. */
export function hasConfirmed(core: Core, request: AuthRequest, uid: string): boolean {
  const asked = request.session.get(KEY) as Asked | undefined // written by `askToConfirm` alone; sessions are sealed
  if (asked?.uid !== uid) return false
  const { count, at } = recordsNow(core, request)
  return at !== null && (count > asked.count || asked.at === null || at > asked.at)
}
