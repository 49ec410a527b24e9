import { invalidForm, unknownUser } from './failure.ts'
import { channelFields, guildFields, userFields } from './people.ts'
import type { RestAnswer, RestCall, RestMethod } from './rest-call.ts'
import { CONTENT_LIMITED, type DiscordState } from './state.ts'

/** Calls about the bot, its application and where it is. */
export const BOT_METHODS: readonly RestMethod[] = [
  { name: 'gateway.bot', by: 'GET', path: '/gateway/bot', run: gatewayBot },
  { name: 'users.me', by: 'GET', path: '/users/@me', run: ({ state }) => ({ value: userFields(state.people.bot) }) },
  { name: 'users.guilds', by: 'GET', path: '/users/@me/guilds', run: guilds },
  { name: 'users.create_channel', by: 'POST', path: '/users/@me/channels', run: createChannel },
  { name: 'users.get', by: 'GET', path: '/users/:user', run: user },
  { name: 'applications.get', by: 'GET', path: '/applications/@me', run: ({ state }) => application(state) },
  { name: 'applications.patch', by: 'PATCH', path: '/applications/@me', run: patchApplication },
  { name: 'guilds.get', by: 'GET', path: '/guilds/:guild', run: guild },
  {
    name: 'channels.get',
    by: 'GET',
    path: '/channels/:channel',
    run: ({ state, path }) => ({ value: channelFields(state.people.channel(path['channel'] ?? '')) }),
  },
]

function gatewayBot({ state }: RestCall): RestAnswer {
  const { identifies } = state.settings
  const remaining = Math.max(0, state.identifiesLeft)
  const limit = { total: identifies, remaining, reset_after: 14_400_000, max_concurrency: 1 }
  return { value: { url: state.wsUrl, shards: 1, session_start_limit: limit } }
}

/** What the invitation asks for. */
const PERMISSIONS = '274878024768'

function guilds({ state }: RestCall): RestAnswer {
  const all = [...state.people.guilds.values()]
  return {
    value: all.map(({ id, name }) => ({ id, name, icon: null, owner: false, permissions: PERMISSIONS, features: [] })),
  }
}

function createChannel({ state, body }: RestCall): RestAnswer {
  const recipient = state.people.users.get(String(body['recipient_id']))
  if (!recipient || recipient.id === state.people.bot.id) throw unknownUser()
  return { value: channelFields(state.people.direct(recipient)) }
}

function user({ state, path }: RestCall): RestAnswer {
  const found = state.people.users.get(path['user'] ?? '')
  if (!found) throw unknownUser()
  return { value: userFields(found) }
}

function guild({ state, path }: RestCall): RestAnswer {
  const found = state.people.guilds.get(path['guild'] ?? '')
  if (!found) throw invalidForm('guild_id', 'GUILD_NOT_FOUND', 'Unknown Guild')
  return { value: guildFields(found, state.people) }
}

const application = (state: DiscordState): RestAnswer => ({
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

/** Only the limited flags can be changed: members 1 << 15, presence 1 << 13, content 1 << 19. */
const CHANGEABLE = (1 << 13) | (1 << 15) | CONTENT_LIMITED

function patchApplication({ state, body }: RestCall): RestAnswer {
  const { flags } = body
  if (flags !== undefined) {
    if (typeof flags !== 'number' || !Number.isInteger(flags))
      throw invalidForm('flags', 'NUMBER_TYPE_COERCE', 'Value is not int.')
    state.flags = (state.flags & ~CHANGEABLE) | (flags & CHANGEABLE)
  }
  return application(state)
}
