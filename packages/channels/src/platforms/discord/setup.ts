import { SetupFailure, type SetupGuide, type SetupWorld } from '../../setup/guide.ts'
import { requestUntilSaved } from '../../setup/paste.ts'
import { discordCredentials, type DiscordCredentials } from './credentials.ts'
import { inviteUrl, PORTAL_URL, prepareApplication, type PreparedApplication, waitForGuild } from './bot.ts'

/** How often the user is asked again for a malformed or rejected token. */
const MAX_TRIES = 4

/** Through the developer portal, then an invitation. */
export const discordPortal: SetupGuide = {
  kind: 'portal',
  title: 'Create a bot in the Discord developer portal',
  instructions: [
    `Open ${PORTAL_URL} and sign in.`,
    'Choose "New Application", enter a name, and create it.',
    'Open "Bot" and enable MESSAGE CONTENT INTENT.',
    'On the same page, choose "Reset Token" and copy the token.',
    'Paste the token here.',
    'Open the invitation that appears and add the bot to a server.',
  ],
  async run(world, signal) {
    const credentials = await requestToken(world, signal)
    const application = await prepareApplication(credentials, world.io, signal)
    if (signal.aborted) return
    const url = inviteUrl(application.id)
    const hint = hintAbout(application)
    world.show({
      state: 'watching',
      url,
      scannable: false,
      message: `Token saved. Open the invitation and add the bot to a server.${hint}`,
      facts: { app_id: application.id },
    })
    const found = await waitForGuild(credentials, world.io, signal)
    if (signal.aborted) return
    const where =
      found === null
        ? "The bot isn't in a server yet, but it is set up. The invitation stays valid: once the bot is in a server, its members can message it."
        : `The bot is in ${found.first.name === '' ? 'a server' : `"${found.first.name}"`}.`
    const facts = found === null ? {} : { guild_id: found.first.id, guild_name: found.first.name, total: found.total }
    world.show({ state: 'watching', url, scannable: false, message: `${where}${hint}`, facts })
  },
}

const hintAbout = ({ id, hasContent }: PreparedApplication): string =>
  hasContent === false
    ? ` MESSAGE CONTENT INTENT is disabled: in servers, the bot only receives messages that mention it. Enable it at ${PORTAL_URL}/${id}/bot.`
    : ''

/** Saved credentials. @throws {SetupFailure} `refused` after several wrong ones; {ChannelError} of `save` */
async function requestToken(world: SetupWorld, signal: AbortSignal): Promise<DiscordCredentials> {
  const question = { fields: [{ name: 'bot_token', label: 'the bot token', secret: true }], url: PORTAL_URL }
  return discordCredentials.schema.parse(await requestUntilSaved(world, question, signal, extractToken, MAX_TRIES))
}

/** Also of a reply of the form `token=<…> app_id=<digits>`. */
const extractToken = ({ bot_token = '' }: Readonly<Record<string, string>>): { readonly bot_token: string } => ({
  bot_token: /\btoken=(\S+)/.exec(bot_token)?.[1] ?? bot_token,
})

/** A bot that is connected is put into a server: the end of the portal's way, alone. */
export const discordInvite: SetupGuide = {
  kind: 'invite',
  title: 'Add the connected bot to a server',
  instructions: ['Open the invitation and choose a server. You need permission to manage it.'],
  async run(world, signal) {
    const stored = discordCredentials.schema.safeParse(world.stored)
    if (!stored.success)
      throw new SetupFailure('not_available', 'No bot token is stored for Discord. Set up the channel first.')
    const { id } = await prepareApplication(stored.data, world.io, signal)
    const url = inviteUrl(id)
    world.show({ state: 'watching', url, message: 'Open the invitation and add the bot to a server.' })
    const found = await waitForGuild(stored.data, world.io, signal)
    if (signal.aborted) return
    if (found === null) throw new SetupFailure('expired', "The bot isn't in a server yet. The invitation stays valid.")
    const { first, total } = found
    const message = `The bot is in ${first.name === '' ? 'a server' : `"${first.name}"`}.`
    world.show({ state: 'watching', url, message, facts: { guild_id: first.id, guild_name: first.name, total } })
  },
}
