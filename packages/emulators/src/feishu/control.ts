import type { PlatformControl } from '../kit/control.ts'
import { FEISHU_SWITCHES, type FeishuFault, settledFault } from './faults.ts'
import { openIdOf } from './registration.ts'
import type { Parts } from './routes.ts'
import { say } from './say.ts'

/**
 * What a test or the demo page can do.
 * @param url Where the emulator is: the `domain` of its credentials.
 * @param drop Closes every connection of the bot.
 */
export function createControl(parts: Parts, url: string, drop: () => void): PlatformControl<FeishuFault> {
  const { state, tokens, connection, registration } = parts
  const { faults, world, bot } = state
  const operations = world.operations()
  /** A chat may be named by the id of a person or group as it was given to `say`. */
  const chatIdOf = (id: string): string => {
    if (state.chats.has(id)) return id
    const direct = state.privateChatId(openIdOf(id))
    return state.chats.has(direct) ? direct : `oc_${id}`
  }
  const settled = <Q extends { readonly chatId?: string }>(query: Q): Q =>
    query.chatId === undefined ? query : { ...query, chatId: chatIdOf(query.chatId) }
  return {
    ...operations,
    bot: async () => ({
      id: bot.appId,
      name: bot.name,
      connected: connection.count > 0,
      credentials: { app_id: bot.appId, app_secret: state.secret ?? '', domain: url },
      setup: registration.waiting,
    }),
    say: async (options) => say(state, connection, options),
    sent: (query = {}) => operations.sent(settled(query)),
    waitForSent: (query = {}) => operations.waitForSent(settled(query)),
    conversation: (options) => operations.conversation({ ...options, chatId: chatIdOf(options.chatId) }),
    injectFault: async (fault) => faults.inject(settledFault(settled(fault))),
    faults: async () => faults.active,
    clearFaults: async ({ id } = {}) => faults.clear(id),
    switches: async () => FEISHU_SWITCHES,
    dropConnections: async () => drop(),
    revoke: async () => {
      state.secret = null
      tokens.expireAll()
      connection.endAll()
    },
    scan: async (act) => registration.scan(act),
  }
}
