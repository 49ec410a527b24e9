import { DiscordFailure, invalidForm } from './failure.ts'
import { INTENTS } from './gateway-session.ts'
import { channelFields } from './people.ts'
import type { RestAnswer, RestCall, RestMethod } from './rest-call.ts'
import { channelOf, messageOf } from './rest-messages.ts'
import { channelEvent } from './state.ts'

const MESSAGE = '/channels/:channel/messages/:message'

/** Calls about what is around messages. */
export const ACTION_METHODS: readonly RestMethod[] = [
  { name: 'typing.create', by: 'POST', path: '/channels/:channel/typing', run: typing },
  { name: 'reactions.put', by: 'PUT', path: `${MESSAGE}/reactions/:emoji/@me`, run: (call) => react(call, 'ADD') },
  {
    name: 'reactions.delete',
    by: 'DELETE',
    path: `${MESSAGE}/reactions/:emoji/@me`,
    run: (call) => react(call, 'REMOVE'),
  },
  { name: 'threads.create', by: 'POST', path: `${MESSAGE}/threads`, run: createThread },
]

/** A typing sign vanishes by itself after this, ms. */
const TYPING_MS = 10_000

function typing(call: RestCall): RestAnswer {
  const { state } = call
  const channel = channelOf(call)
  state.world.typing(channel.id, TYPING_MS)
  const fields = { user_id: state.people.bot.id, timestamp: Math.floor(state.clock.now() / 1_000) }
  state.gateway.dispatch(channelEvent(channel, 'TYPING_START', [INTENTS.guildTyping, INTENTS.directTyping], fields))
  return null
}

function react(call: RestCall, change: 'ADD' | 'REMOVE'): RestAnswer {
  const { state, path } = call
  const { id, channel } = messageOf(call)
  const emoji = path['emoji'] ?? ''
  // an emoji of the standard, or `name:id` of the guild's own
  if (!/^(?:\w{2,32}:\d+|\P{ASCII}{1,16}|[#*\d]\uFE0F?\u20E3)$/u.test(emoji))
    throw new DiscordFailure(400, 10_014, 'Unknown Emoji')
  const fields = { user_id: state.people.bot.id, message_id: id, emoji: { id: null, name: emoji }, type: 0 }
  const intents = [INTENTS.guildReactions, INTENTS.directReactions] as const
  state.gateway.dispatch(channelEvent(channel, `MESSAGE_REACTION_${change}`, intents, fields))
  return null
}

function createThread(call: RestCall): RestAnswer {
  const { state, body } = call
  const message = messageOf(call)
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
