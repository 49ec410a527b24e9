import type { Account } from '../account/account.ts'
import type { ApiAnswer, ApiFlow } from '../kernel/operations/operation.ts'
import { userData } from '../kernel/operations/user-data.ts'
import type { User } from '../kernel/users/user.ts'
import type { Visit } from '../kernel/visit.ts'
import type { Headless } from './headless.ts'

/** Envelope of where a visitor's authentication stands. */
export interface AuthenticationBody {
  readonly status: 200 | 401
  readonly data: object
  readonly meta: { readonly is_authenticated: boolean }
}

/** Returns where the visitor's authentication stands: user and methods, or the flows that lead there. */
export async function authenticationBody(
  { account }: Headless,
  visit: Visit,
  { as }: Extract<ApiAnswer, { kind: 'authentication' }>,
): Promise<AuthenticationBody> {
  const user = as === 'anonymous' ? null : visit.user
  const meta = { is_authenticated: user !== null }
  if (user === null) return { status: 401, data: { flows: await listFlows(account, visit, null) }, meta }
  const data = { user: await userData(account.kernel, visit, user), methods: account.login.records(visit) }
  if (as === undefined) return { status: 200, data, meta }
  return { status: 401, data: { ...data, flows: await listFlows(account, visit, user) }, meta }
}

async function listFlows(account: Account, visit: Visit, user: User | null): Promise<readonly ApiFlow[]> {
  const { modules } = account.kernel
  const flows: ApiFlow[] = []
  if (user === null) {
    for (const module of modules) flows.push(...((await module.entranceFlows?.(visit)) ?? []))
  } else {
    const offered = (await account.adapter.getReauthenticationMethods(visit, user)).map(({ id }) => id)
    for (const module of modules) flows.push(...((await module.reauthenticationFlows?.(visit, user, offered)) ?? []))
  }
  const pending = visit.user === null ? await pendingFlow(account, visit) : null
  const merged = pending === null ? flows : withPending(flows, pending)
  return [...merged, ...modules.flatMap((module) => module.closingFlows?.(visit) ?? [])]
}

/** The step that a login of this session waits for. */
async function pendingFlow(account: Account, visit: Visit): Promise<ApiFlow | null> {
  const login = await account.login.pending(visit)
  const id = login?.state.current ?? null
  if (login === null || id === null) return null
  let flow: ApiFlow = { id, is_pending: true }
  for (const module of account.kernel.modules) flow = { ...flow, ...(await module.pendingFlowData?.(visit, login)) }
  return flow
}

const withPending = (flows: readonly ApiFlow[], pending: ApiFlow): readonly ApiFlow[] =>
  flows.some(({ id }) => id === pending.id)
    ? flows.map((flow) => (flow.id === pending.id ? { ...flow, ...pending } : flow))
    : [...flows, pending]
