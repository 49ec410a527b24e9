import type { Bots } from '../bots.ts'
import { REAL_RATE_LIMITS } from '../rate-limits.ts'
import { addChat, type BotState, emit } from '../state.ts'
import type { OfBot, ShownMessage, TelegramControl } from './control.ts'
import { changeMembership, migrateGroup, privateChatAndUser, existingChat, group, person } from './people.ts'
import { editUserMessage, say } from './say.ts'
import { botInfo, conversationOf, liveDrafts, shownMessage, waitForSent } from './shown.ts'

/** The control interface on the emulator's own state. @param dropConnections Closes every Bot API connection. */
export function createControl(bots: Bots, dropConnections: () => void): TelegramControl {
  const of = (options?: OfBot): BotState => bots.get(options?.bot)
  return {
    ...botOperations(bots, of),
    ...userOperations(of),
    ...listings(of),
    ...faultOperations(of),
    dropConnections: async () => dropConnections(),
  }
}

type Of = (options?: OfBot) => BotState

function botOperations(
  bots: Bots,
  of: Of,
): Pick<TelegramControl, 'createBot' | 'bots' | 'configureBot' | 'revokeToken'> {
  return {
    createBot: async (options) => botInfo(bots.create(options)),
    bots: async () => bots.all.map(botInfo),
    async configureBot(options) {
      const bot = of(options)
      if (options.can_read_all_group_messages !== undefined) {
        bot.canReadAllGroupMessages = options.can_read_all_group_messages
      }
      if (options.old_server !== undefined) bot.oldServer = options.old_server
      if (options.local_directory !== undefined) bot.files.localDirectory = options.local_directory
      return botInfo(bot)
    },
    async revokeToken(options) {
      const bot = of(options)
      if (options.token === undefined) bot.revoked = true
      else bots.changeToken(bot, options.token)
      return botInfo(bot)
    },
  }
}

type UserOperation =
  | 'addPerson'
  | 'createGroup'
  | 'say'
  | 'editUserMessage'
  | 'block'
  | 'unblock'
  | 'deleteAccount'
  | 'kick'
  | 'setRights'
  | 'migrateGroup'

function userOperations(of: Of): Pick<TelegramControl, UserOperation> {
  return {
    addPerson: async (options) => person(of(options), options.person),
    async createGroup(options) {
      const chat = group(of(options), options.group)
      for (const topic of options.topics ?? []) chat.topics.add(topic)
      return chat.chat
    },
    say: async (options) => say(of(options), options),
    editUserMessage: async (options) => editUserMessage(of(options), options),
    async block(options) {
      const [chat, user] = privateChatAndUser(of(options), options.chatId)
      changeMembership(of(options), chat, 'blocked', user)
    },
    async unblock(options) {
      const [chat, user] = privateChatAndUser(of(options), options.chatId)
      changeMembership(of(options), chat, 'none', user)
    },
    async deleteAccount(options) {
      const [chat, user] = privateChatAndUser(of(options), options.chatId)
      changeMembership(of(options), chat, 'deactivated', user, false)
    },
    async kick(options) {
      const bot = of(options)
      changeMembership(bot, existingChat(bot, options.chatId), 'kicked', person(bot, options.by))
    },
    async setRights(options) {
      const chat = existingChat(of(options), options.chatId)
      if (options.admin !== undefined) chat.botIsAdmin = options.admin
      if (options.canWrite !== undefined) chat.obstacle = options.canWrite ? 'none' : 'no_rights'
    },
    migrateGroup: async (options) => ({ chatId: migrateGroup(of(options), options) }),
  }
}

type Listing = 'sent' | 'waitForSent' | 'conversation' | 'drafts' | 'chatActions' | 'readFile' | 'requests' | 'updates'

function listings(of: Of): Pick<TelegramControl, Listing> {
  return {
    async sent(options) {
      const bot = of(options)
      const all = bot.sent.after(options?.afterSequence ?? 0)
      const shown =
        options?.chatId === undefined ? all : all.filter(({ message }) => message.chat.id === options.chatId)
      return shown.slice(0, options?.limit ?? shown.length).map((stored): ShownMessage => shownMessage(bot, stored))
    },
    waitForSent: (options) => waitForSent(of(options), options ?? {}),
    async conversation(options) {
      const bot = of(options)
      const chat = bot.chats.get(options.chatId) ?? draftChat(bot, options.chatId)
      return conversationOf(bot, chat, options.limit ?? 200)
    },
    drafts: async (options) => liveDrafts(of(options), existingChat(of(options), options.chatId)),
    async chatActions(options) {
      const actions = of(options).actions.after(0)
      return options?.chatId === undefined ? actions : actions.filter(({ chatId }) => chatId === options.chatId)
    },
    async readFile(options) {
      const file = of(options).files.get(options.fileId)
      if (!file) throw new RangeError('There is no file of that id')
      const { name, mimeType, size, bytes } = file
      return { name, mimeType, size, base64: Buffer.from(bytes).toString('base64') }
    },
    async requests(options) {
      const requests = of(options).requests.after(options?.afterSequence ?? 0)
      const method = options?.method?.toLowerCase()
      return method === undefined ? requests : requests.filter((request) => request.method.toLowerCase() === method)
    },
    async updates(options) {
      const { pending, confirmed } = of(options).updates
      return { pending: [...pending], confirmed: confirmed.after(0) }
    },
  }
}

/** A chat that nobody wrote in yet, so that the page can show it empty. */
function draftChat(bot: BotState, chatId: number): ReturnType<typeof addChat> {
  if (chatId < 0) return group(bot, chatId)
  const { id, first_name } = person(bot, chatId)
  return addChat(bot, { id, type: 'private', first_name }, 'not_started')
}

function faultOperations(of: Of): Pick<TelegramControl, 'injectFault' | 'faults' | 'clearFaults' | 'setRateLimits'> {
  let lastId = 0
  return {
    async injectFault({ bot: id, ...spec }) {
      const bot = of(id === undefined ? {} : { bot: id })
      const fault = { id: ++lastId, spec, left: spec.times === undefined ? 1 : spec.times }
      bot.faults.push(fault)
      emit(bot, { type: 'faults' })
      return { id: fault.id }
    },
    faults: async (options) => [...of(options).faults],
    async clearFaults(options) {
      const bot = of(options)
      const kept = options?.id === undefined ? [] : bot.faults.filter(({ id }) => id !== options.id)
      bot.faults.splice(0, bot.faults.length, ...kept)
      emit(bot, { type: 'faults' })
    },
    async setRateLimits(options) {
      of(options).limiter.set(options.limits === true ? REAL_RATE_LIMITS : options.limits)
    },
  }
}
