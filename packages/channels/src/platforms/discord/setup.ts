import { SetupFailure, type SetupGuide, type SetupWorld } from '../../setup/guide.ts'
import { askUntilSaved } from '../../setup/paste.ts'
import { discordCredentials, type DiscordCredentials } from './credentials.ts'
import { inviteUrl, PORTAL_URL, prepareApplication, type PreparedApplication, watchGuilds } from './bot.ts'

/** A malformed or refused token is asked for again so often. */
const MOST_TRIES = 4

/** Through the developer portal, then an invitation. */
export const discordPortal: SetupGuide = {
  kind: 'portal',
  title: 'With a bot from the Discord developer portal',
  instructions: [
    `Open ${PORTAL_URL} and log in.`,
    'Choose “New Application”, give it a name and create it.',
    'Open “Bot” and switch MESSAGE CONTENT INTENT on.',
    'On the same page choose “Reset Token” and copy the token.',
    'Paste the token here.',
    'Open the invitation that is shown then, and put the bot into a server.',
  ],
  async run(world, signal) {
    const credentials = await askForToken(world, signal)
    const application = await prepareApplication(credentials, world.io, signal)
    if (signal.aborted) return
    const url = inviteUrl(application.id)
    const hint = hintAbout(application)
    world.show({
      state: 'watching',
      url,
      scannable: false,
      message: `The token is saved. Open the invitation and put the bot into a server.${hint}`,
      facts: { app_id: application.id },
    })
    const found = await watchGuilds(credentials, world.io, signal)
    if (signal.aborted) return
    const where =
      found === null
        ? 'The bot is in no server yet. It is set up all the same: people who share a server with it can write to it privately, and the invitation stays valid.'
        : `The bot is in ${found.first.name === '' ? 'a server' : `“${found.first.name}”`}.`
    const facts = found === null ? {} : { guild_id: found.first.id, guild_name: found.first.name, total: found.total }
    world.show({ state: 'watching', url, scannable: false, message: `${where}${hint}`, facts })
  },
}

const hintAbout = ({ id, hasContent }: PreparedApplication): string =>
  hasContent === false
    ? ` MESSAGE CONTENT INTENT is off: in servers the bot reads only messages that mention it. Switch it on at ${PORTAL_URL}/${id}/bot.`
    : ''

/** Saved credentials. @throws {SetupFailure} `refused` after several wrong ones; {ChannelError} of `save` */
async function askForToken(world: SetupWorld, signal: AbortSignal): Promise<DiscordCredentials> {
  const question = { fields: [{ name: 'bot_token', label: 'the token of the bot', secret: true }], url: PORTAL_URL }
  return discordCredentials.schema.parse(await askUntilSaved(world, question, signal, tokenIn, MOST_TRIES))
}

/** Also of a reply of the form `token=<…> app_id=<digits>`. */
const tokenIn = ({ bot_token = '' }: Readonly<Record<string, string>>): { readonly bot_token: string } => ({
  bot_token: /\btoken=(\S+)/.exec(bot_token)?.[1] ?? bot_token,
})

/** A bot that is connected is put into a server: the end of the portal's way, alone. */
export const discordInvite: SetupGuide = {
  kind: 'invite',
  title: 'Put the connected bot into a server',
  instructions: ['Open the invitation and choose a server. You need the right to manage it.'],
  async run(world, signal) {
    const stored = discordCredentials.schema.safeParse(world.stored)
    if (!stored.success) throw new SetupFailure('not_available', 'Discord has no bot token yet. Set it up first.')
    const { id } = await prepareApplication(stored.data, world.io, signal)
    const url = inviteUrl(id)
    world.show({ state: 'watching', url, message: 'Open the invitation and put the bot into a server.' })
    const found = await watchGuilds(stored.data, world.io, signal)
    if (signal.aborted) return
    if (found === null) throw new SetupFailure('expired', 'The bot is in no server yet. The invitation stays valid.')
    const { first, total } = found
    const message = `The bot is in ${first.name === '' ? 'a server' : `“${first.name}”`}.`
    world.show({ state: 'watching', url, message, facts: { guild_id: first.id, guild_name: first.name, total } })
  },
}
