import type { PlatformControl } from '../kit/control.ts'
import type { EmulatorServer } from '../kit/server.ts'
import { DINGTALK_KINDS, DINGTALK_SWITCHES, type DingtalkFault } from './faults.ts'
import { scan, setupOf } from './registration.ts'
import { say } from './say.ts'
import { directChatId, type DingtalkState } from './state.ts'
import { broadcast, disconnect, silence } from './stream.ts'
import { expireTokens } from './tokens.ts'

/** What a test or the demo page can do. A direct chat may be named by the person's id. */
export function createControl(state: DingtalkState, server: EmulatorServer): PlatformControl<DingtalkFault> {
  const operations = state.world.operations()
  const settled = <Q extends { readonly chatId?: string }>(query: Q): Q =>
    query.chatId !== undefined && state.people.has(query.chatId)
      ? { ...query, chatId: directChatId(query.chatId) }
      : query
  return {
    ...operations,
    bot: async () => ({
      id: state.bot.id,
      name: state.bot.name,
      connected: [...state.connections].some(({ isSilent }) => !isSilent),
      setup: setupOf(state),
      credentials: { client_id: state.bot.id, client_secret: state.bot.secret },
    }),
    say: async (options) => say(state, options),
    sent: async (query = {}) => operations.sent(settled(query)),
    waitForSent: async (query = {}) => operations.waitForSent(settled(query)),
    conversation: async (query) => operations.conversation(settled(query)),
    // what happens at once is no fault that waits: its id clears nothing
    injectFault: async (fault) => (actAtOnce(state, fault) ? { id: 0 } : state.faults.inject(settled(fault))),
    faults: async () => state.faults.active,
    clearFaults: async ({ id } = {}) => state.faults.clear(id),
    switches: async () => DINGTALK_SWITCHES,
    dropConnections: async () => server.dropConnections(),
    async revoke() {
      state.bot.revoked = true
      expireTokens(state)
      for (const { socket } of state.connections) socket.close()
    },
    scan: async (act) => scan(state, act),
  }
}

/** @returns whether the fault is one that happens at once */
function actAtOnce(state: DingtalkState, fault: DingtalkFault): boolean {
  const { kind } = fault
  if (!Object.hasOwn(DINGTALK_KINDS, kind)) throw new RangeError(`There is no fault ${String(kind)}`)
  if (kind === 'frame') broadcast(state, fault.type, fault.topic, fault.data)
  else if (kind === 'disconnect') disconnect(state)
  else if (kind === 'half_open') silence(state)
  else if (kind === 'expire_tokens') expireTokens(state)
  else if (kind === 'expire_webhooks') state.sessions.clear()
  else return false
  return true
}
