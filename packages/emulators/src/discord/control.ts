import type { EmulatedBot, PlatformControl, SayResult, SayFile, SayOptions, ScanAct } from '../kit/control.ts'
import type { StoredAttachment, DiscordMessage } from './messages.ts'
import { checkFault, DISCORD_SWITCHES, type DiscordFault, isApplicable } from './faults.ts'
import type { DiscordChannel, DiscordUser } from './people.ts'
import { CALLS } from './rest.ts'
import { DISCORD_BOT, type DiscordState, deleteEvent, guildCreateEvent, messageEvent } from './state.ts'

/** Control operations, with some that are not available over HTTP. */
export interface DiscordControl extends PlatformControl<DiscordFault> {
  /** Edits a person's message. */
  edit(options: { readonly chatId: string; readonly messageId: string; readonly text: string }): Promise<void>
  /** Deletes a person's message. */
  remove(options: { readonly chatId: string; readonly messageId: string }): Promise<void>
}

/** Creates the control operations. */
export function createControl(state: DiscordState, dropConnections: () => void): DiscordControl {
  const operations = state.chatStore.operations()
  const withChannelId = <Q extends { readonly chatId?: string }>(query: Q): Q =>
    query.chatId === undefined ? query : { ...query, chatId: state.people.findByName(query.chatId)?.id ?? query.chatId }
  return {
    ...operations,
    sent: (query = {}) => operations.sent(withChannelId(query)),
    waitForSent: (query = {}) => operations.waitForSent(withChannelId(query)),
    conversation: (query) => operations.conversation(withChannelId(query)),
    bot: async () => toEmulatedBot(state),
    say: async (options) => say(state, options),
    injectFault: async (fault) => injectFault(state, fault),
    faults: async () => state.faults.active,
    clearFaults: async ({ id } = {}) => state.faults.clear(id),
    switches: async () => DISCORD_SWITCHES,
    dropConnections: async () => dropConnections(),
    async revoke() {
      state.revoked = true
      state.gateway.closeAll(4_004)
    },
    scan: async (act) => scan(state, act),
    async edit({ chatId, messageId, text }) {
      const message = requirePersonMessage(state, chatId, messageId)
      message.content = text
      message.editedAtMs = state.clock.now()
      state.chatStore.editPersonMessage(messageId, text)
      state.gateway.dispatch(messageEvent(state, 'MESSAGE_UPDATE', message))
    },
    async remove({ chatId, messageId }) {
      const message = requirePersonMessage(state, chatId, messageId)
      state.messages.remove(message)
      state.chatStore.removeMessage(messageId)
      state.gateway.dispatch(deleteEvent(message))
    },
  }
}

function requirePersonMessage(state: DiscordState, chatId: string, messageId: string): DiscordMessage {
  const message = state.messages.find(chatId, messageId)
  if (!message || message.author.id === state.people.bot.id)
    throw new RangeError(`${messageId} isn't a person's message`)
  return message
}

const toEmulatedBot = ({ gateway }: DiscordState): EmulatedBot => ({
  id: DISCORD_BOT.id,
  name: DISCORD_BOT.username,
  connected: gateway.isConnected,
  credentials: { bot_token: DISCORD_BOT.token },
})

function injectFault(state: DiscordState, fault: DiscordFault): { readonly id: number } {
  checkFault(fault, CALLS)
  const injected = state.faults.inject(fault)
  const isForOpen = (fault.method ?? '*') === '*' && isApplicable('now')(fault)
  if (isForOpen && state.gateway.isConnected) {
    const due = state.faults.take('now', undefined, (spec) => spec === fault)
    if (due) state.gateway.applyFault(due)
  }
  return injected
}

function scan(state: DiscordState, act: ScanAct): void {
  if (act.act !== 'join') throw new RangeError(`Discord doesn't support ${act.act}`)
  join(state, act.id, act.title)
}

function join(state: DiscordState, id: string, title: string | undefined): DiscordChannel {
  const [channel, isNew] = state.people.join(id, title, state.clock.now())
  const guild = isNew ? state.people.guilds.get(channel.guildId ?? '') : undefined
  if (guild) state.gateway.dispatch(guildCreateEvent(state, guild))
  return channel
}

function say(state: DiscordState, options: SayOptions): SayResult {
  const { from, group, text = '', mention = false, file, replyTo } = options
  if (text === '' && !file) throw new RangeError('A message needs a text or a file')
  const { people } = state
  const author = people.user(from.id, from.name, from.isBot ?? false)
  // a group is a guild or an existing channel
  const channel = group ? (people.channels.get(group.id) ?? join(state, group.id, group.title)) : people.direct(author)
  const answered = replyTo === undefined ? null : state.messages.find(channel.id, replyTo)
  const isMention = mention && channel.guildId !== null
  const content = isMention ? `<@${people.bot.id}> ${text}` : text
  const bytes = file ? Buffer.from(file.base64, 'base64') : Buffer.alloc(0)
  const stored = file ? [toAttachment(state, channel, file, bytes)] : []
  const message: DiscordMessage = {
    id: state.ids.next(),
    channel,
    author,
    content,
    atMs: state.clock.now(),
    editedAtMs: null,
    mentions: toMentions(people.bot, isMention || answered?.author.id === people.bot.id),
    attachments: stored,
    embeds: [],
    referenceId: replyTo ?? null,
    flags: file?.kind === 'voice' ? 1 << 13 : 0,
    nonce: null,
  }
  for (const attachment of stored) state.attachments.put(attachment, bytes)
  state.messages.add(message)
  state.chatStore.addPersonMessage({
    chatId: channel.id,
    messageId: message.id,
    name: author.global_name ?? author.username,
    text: content.replaceAll(`<@${people.bot.id}>`, `@${people.bot.username}`),
    replyTo: message.referenceId,
    files: stored.map(({ name }) => ({ name, bytes })),
  })
  state.gateway.dispatch(messageEvent(state, 'MESSAGE_CREATE', message))
  return { chatId: channel.id, messageId: message.id }
}

/** A reply mentions its recipient by default. */
const toMentions = (bot: DiscordUser, isMentioned: boolean): readonly DiscordUser[] => (isMentioned ? [bot] : [])

const NAMES = { image: 'image.png', file: 'file.bin', voice: 'voice-message.ogg', video: 'video.mp4' } as const
const TYPES = { image: 'image/png', file: '', voice: 'audio/ogg', video: 'video/mp4' } as const

function toAttachment(
  { ids }: DiscordState,
  { id: channelId }: DiscordChannel,
  file: SayFile,
  bytes: Uint8Array,
): StoredAttachment {
  return {
    id: ids.next(),
    channelId,
    name: file.name ?? NAMES[file.kind],
    mimeType: file.mimeType ?? TYPES[file.kind],
    size: file.announcedBytes ?? bytes.length,
    kind: file.kind === 'image' || file.kind === 'voice' ? file.kind : 'other',
  }
}
