import type { Bots } from '../bots.ts'
import { REAL_RATE_LIMITS } from '../rate-limits.ts'
import { addChat, type BotState, emit } from '../state.ts'
import type { BotSelector, ShownMessage, TelegramControl } from './control.ts'
import { changeMembership, migrateGroup, privateChatAndUser, requireChat, group, person } from './people.ts'
import { editUserMessage, say } from './say.ts'
import { toBotInfo, toConversation, listLiveDrafts, toShownMessage, waitForSent } from './shown.ts'

/** Creates the control operations. @param dropConnections Closes all connections to the Bot API. */
export function createControl(bots: Bots, dropConnections: () => void): TelegramControl {
  const selectBot = (options?: BotSelector): BotState => bots.get(options?.bot)
  return {
    ...botOperations(bots, selectBot),
    ...userOperations(selectBot),
    ...listings(selectBot),
    ...faultOperations(selectBot),
    dropConnections: async () => dropConnections(),
  }
}

type SelectBot = (options?: BotSelector) => BotState

function botOperations(
  bots: Bots,
  selectBot: SelectBot,
): Pick<TelegramControl, 'createBot' | 'bots' | 'configureBot' | 'revokeToken'> {
  return {
    createBot: async (options) => toBotInfo(bots.create(options)),
    bots: async () => bots.all.map(toBotInfo),
    async configureBot(options) {
      const bot = selectBot(options)
      if (options.can_read_all_group_messages !== undefined) {
        bot.canReadAllGroupMessages = options.can_read_all_group_messages
      }
      if (options.old_server !== undefined) bot.oldServer = options.old_server
      if (options.local_directory !== undefined) bot.files.localDirectory = options.local_directory
      return toBotInfo(bot)
    },
    async revokeToken(options) {
      const bot = selectBot(options)
      if (options.token === undefined) bot.revoked = true
      else bots.changeToken(bot, options.token)
      return toBotInfo(bot)
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

function userOperations(selectBot: SelectBot): Pick<TelegramControl, UserOperation> {
  return {
    addPerson: async (options) => person(selectBot(options), options.person),
    async createGroup(options) {
      const chat = group(selectBot(options), options.group)
      for (const topic of options.topics ?? []) chat.topics.add(topic)
      return chat.chat
    },
    say: async (options) => say(selectBot(options), options),
    editUserMessage: async (options) => editUserMessage(selectBot(options), options),
    async block(options) {
      const [chat, user] = privateChatAndUser(selectBot(options), options.chatId)
      changeMembership(selectBot(options), chat, 'blocked', user)
    },
    async unblock(options) {
      const [chat, user] = privateChatAndUser(selectBot(options), options.chatId)
      changeMembership(selectBot(options), chat, 'none', user)
    },
    async deleteAccount(options) {
      const [chat, user] = privateChatAndUser(selectBot(options), options.chatId)
      changeMembership(selectBot(options), chat, 'deactivated', user, false)
    },
    async kick(options) {
      const bot = selectBot(options)
      changeMembership(bot, requireChat(bot, options.chatId), 'kicked', person(bot, options.by))
    },
    async setRights(options) {
      const chat = requireChat(selectBot(options), options.chatId)
      if (options.admin !== undefined) chat.botIsAdmin = options.admin
      if (options.canWrite !== undefined) chat.obstacle = options.canWrite ? 'none' : 'no_rights'
    },
    migrateGroup: async (options) => ({ chatId: migrateGroup(selectBot(options), options) }),
  }
}

type Listing = 'sent' | 'waitForSent' | 'conversation' | 'drafts' | 'chatActions' | 'readFile' | 'requests' | 'updates'

function listings(selectBot: SelectBot): Pick<TelegramControl, Listing> {
  return {
    async sent(options) {
      const bot = selectBot(options)
      const all = bot.sent.after(options?.afterSequence ?? 0)
      const shown =
        options?.chatId === undefined ? all : all.filter(({ message }) => message.chat.id === options.chatId)
      return shown.slice(0, options?.limit ?? shown.length).map((stored): ShownMessage => toShownMessage(bot, stored))
    },
    waitForSent: (options) => waitForSent(selectBot(options), options ?? {}),
    async conversation(options) {
      const bot = selectBot(options)
      const chat = bot.chats.get(options.chatId) ?? emptyChat(bot, options.chatId)
      return toConversation(bot, chat, options.limit ?? 200)
    },
    drafts: async (options) => listLiveDrafts(selectBot(options), requireChat(selectBot(options), options.chatId)),
    async chatActions(options) {
      const actions = selectBot(options).actions.after(0)
      return options?.chatId === undefined ? actions : actions.filter(({ chatId }) => chatId === options.chatId)
    },
    async readFile(options) {
      const file = selectBot(options).files.get(options.fileId)
      if (!file) throw new RangeError('There is no file with this id')
      const { name, mimeType, size, bytes } = file
      return { name, mimeType, size, base64: Buffer.from(bytes).toString('base64') }
    },
    async requests(options) {
      const requests = selectBot(options).requests.after(options?.afterSequence ?? 0)
      const method = options?.method?.toLowerCase()
      return method === undefined ? requests : requests.filter((request) => request.method.toLowerCase() === method)
    },
    async updates(options) {
      const { pending, confirmed } = selectBot(options).updates
      return { pending: [...pending], confirmed: confirmed.after(0) }
    },
  }
}

/** Creates an empty chat, so that the page can show it. */
function emptyChat(bot: BotState, chatId: number): ReturnType<typeof addChat> {
  if (chatId < 0) return group(bot, chatId)
  const { id, first_name } = person(bot, chatId)
  return addChat(bot, { id, type: 'private', first_name }, 'not_started')
}

function faultOperations(
  selectBot: SelectBot,
): Pick<TelegramControl, 'injectFault' | 'faults' | 'clearFaults' | 'setRateLimits'> {
  let lastId = 0
  return {
    async injectFault({ bot: id, ...spec }) {
      const bot = selectBot(id === undefined ? {} : { bot: id })
      const fault = { id: ++lastId, spec, left: spec.times === undefined ? 1 : spec.times }
      bot.faults.push(fault)
      emit(bot, { type: 'faults' })
      return { id: fault.id }
    },
    faults: async (options) => [...selectBot(options).faults],
    async clearFaults(options) {
      const bot = selectBot(options)
      const kept = options?.id === undefined ? [] : bot.faults.filter(({ id }) => id !== options.id)
      bot.faults.splice(0, bot.faults.length, ...kept)
      emit(bot, { type: 'faults' })
    },
    async setRateLimits(options) {
      selectBot(options).limiter.set(options.limits === true ? REAL_RATE_LIMITS : options.limits)
    },
  }
}
