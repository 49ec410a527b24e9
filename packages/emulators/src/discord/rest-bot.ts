import { DiscordFailure, invalidForm, unknownUser } from './failure.ts'
import { INTENTS } from './gateway.ts'
import { channelFields, guildFields, userFields } from './people.ts'
import type { RestAnswer, RestCall, RestMethod } from './rest-call.ts'
import { findChannel, requireMessage } from './rest-messages.ts'
import { channelEvent, CONTENT_LIMITED, type DiscordState } from './state.ts'

/** Methods for the bot, its application, guilds and channels. */
export const BOT_METHODS: readonly RestMethod[] = [
  { name: 'gateway.bot', by: 'GET', path: '/gateway/bot', run: getGatewayBot },
  { name: 'users.me', by: 'GET', path: '/users/@me', run: ({ state }) => ({ value: userFields(state.people.bot) }) },
  { name: 'users.guilds', by: 'GET', path: '/users/@me/guilds', run: listGuilds },
  { name: 'users.create_channel', by: 'POST', path: '/users/@me/channels', run: createDirectChannel },
  { name: 'users.get', by: 'GET', path: '/users/:user', run: getUser },
  { name: 'applications.get', by: 'GET', path: '/applications/@me', run: ({ state }) => getApplication(state) },
  { name: 'applications.patch', by: 'PATCH', path: '/applications/@me', run: patchApplication },
  { name: 'guilds.get', by: 'GET', path: '/guilds/:guild', run: getGuild },
  {
    name: 'channels.get',
    by: 'GET',
    path: '/channels/:channel',
    run: ({ state, path }) => ({ value: channelFields(state.people.channel(path['channel'] ?? '')) }),
  },
]

function getGatewayBot({ state }: RestCall): RestAnswer {
  const { identifies } = state.settings
  const remaining = Math.max(0, state.identifiesLeft)
  const limit = { total: identifies, remaining, reset_after: 14_400_000, max_concurrency: 1 }
  return { value: { url: state.wsUrl, shards: 1, session_start_limit: limit } }
}

/** Permissions that the invite link requests. */
const PERMISSIONS = '274878024768'

function listGuilds({ state }: RestCall): RestAnswer {
  const all = [...state.people.guilds.values()]
  return {
    value: all.map(({ id, name }) => ({ id, name, icon: null, owner: false, permissions: PERMISSIONS, features: [] })),
  }
}

function createDirectChannel({ state, body }: RestCall): RestAnswer {
  const recipient = state.people.users.get(String(body['recipient_id']))
  if (!recipient || recipient.id === state.people.bot.id) throw unknownUser()
  return { value: channelFields(state.people.direct(recipient)) }
}

function getUser({ state, path }: RestCall): RestAnswer {
  const found = state.people.users.get(path['user'] ?? '')
  if (!found) throw unknownUser()
  return { value: userFields(found) }
}

function getGuild({ state, path }: RestCall): RestAnswer {
  const found = state.people.guilds.get(path['guild'] ?? '')
  if (!found) throw invalidForm('guild_id', 'GUILD_NOT_FOUND', 'Unknown Guild')
  return { value: guildFields(found, state.people) }
}

const getApplication = (state: DiscordState): RestAnswer => ({
  value: {
    id: state.people.bot.id,
    name: state.people.bot.username,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags: state.flags,
  },
})

/** Flags that an application can change: members 1 << 15, presence 1 << 13, content 1 << 19. */
const CHANGEABLE = (1 << 13) | (1 << 15) | CONTENT_LIMITED

function patchApplication({ state, body }: RestCall): RestAnswer {
  const { flags } = body
  if (flags !== undefined) {
    if (typeof flags !== 'number' || !Number.isInteger(flags))
      throw invalidForm('flags', 'NUMBER_TYPE_COERCE', 'Value is not int.')
    state.flags = (state.flags & ~CHANGEABLE) | (flags & CHANGEABLE)
  }
  return getApplication(state)
}

const MESSAGE = '/channels/:channel/messages/:message'

/** Methods for typing, reactions and threads. */
export const ACTION_METHODS: readonly RestMethod[] = [
  { name: 'typing.create', by: 'POST', path: '/channels/:channel/typing', run: startTyping },
  { name: 'reactions.put', by: 'PUT', path: `${MESSAGE}/reactions/:emoji/@me`, run: (call) => react(call, 'ADD') },
  {
    name: 'reactions.delete',
    by: 'DELETE',
    path: `${MESSAGE}/reactions/:emoji/@me`,
    run: (call) => react(call, 'REMOVE'),
  },
  { name: 'threads.create', by: 'POST', path: `${MESSAGE}/threads`, run: createThread },
]

/** Lifetime of a typing indicator, in ms. */
const TYPING_MS = 10_000

function startTyping(call: RestCall): RestAnswer {
  const { state } = call
  const channel = findChannel(call)
  state.chatStore.setTyping(channel.id, TYPING_MS)
  const fields = { user_id: state.people.bot.id, timestamp: Math.floor(state.clock.now() / 1_000) }
  state.gateway.dispatch(channelEvent(channel, 'TYPING_START', [INTENTS.guildTyping, INTENTS.directTyping], fields))
  return null
}

function react(call: RestCall, change: 'ADD' | 'REMOVE'): RestAnswer {
  const { state, path } = call
  const { id, channel } = requireMessage(call)
  const emoji = path['emoji'] ?? ''
  // a Unicode emoji, or `name:id` of a custom one
  if (!/^(?:\w{2,32}:\d+|\P{ASCII}{1,16}|[#*\d]\uFE0F?\u20E3)$/u.test(emoji))
    throw new DiscordFailure(400, 10_014, 'Unknown Emoji')
  const fields = { user_id: state.people.bot.id, message_id: id, emoji: { id: null, name: emoji }, type: 0 }
  const intents = [INTENTS.guildReactions, INTENTS.directReactions] as const
  state.gateway.dispatch(channelEvent(channel, `MESSAGE_REACTION_${change}`, intents, fields))
  return null
}

function createThread(call: RestCall): RestAnswer {
  const { state, body } = call
  const message = requireMessage(call)
  const { name } = body
  if (typeof name !== 'string' || name === '' || Array.from(name).length > 100)
    throw invalidForm('name', 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.')
  if (message.channel.guildId === null)
    throw new DiscordFailure(400, 50_024, 'Cannot execute action on this channel type')
  if (state.people.channels.has(message.id))
    throw new DiscordFailure(400, 160_004, 'A thread has already been created for this message')
  const thread = state.people.thread(message.id, message.channel, name)
  state.gateway.dispatch({ type: 'THREAD_CREATE', intent: INTENTS.guilds, data: () => channelFields(thread) })
  return { status: 201, value: channelFields(thread) }
}
