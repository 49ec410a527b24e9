import { ChannelError } from '../../errors.ts'
import type { SetupGuide, SetupWorld } from '../../setup/guide.ts'
import { SetupFailure } from '../../setup/guide.ts'
import { type DiscordCredentials, discordCredentials } from './credentials.ts'
import { inviteUrl, PORTAL_URL, type PreparedApplication, prepareApplication, watchGuilds } from './portal.ts'

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
  let message = 'Paste the token of the bot.'
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const fields = [{ name: 'bot_token', label: 'Bot token', secret: true }]
    const answer = await world.ask({ message, fields, url: PORTAL_URL }, signal)
    const read = discordCredentials.schema.safeParse({ bot_token: tokenIn(answer['bot_token'] ?? '') })
    if (read.success) {
      const refusal = await refusalOf(world, read.data)
      if (refusal === null) return read.data
      message = `${refusal} Paste the token again.`
    } else {
      message = `${read.error.issues[0]?.message ?? 'This is no token.'} Paste it again.`
    }
  }
  throw new SetupFailure('refused', 'No token was accepted. Reset the token in the developer portal and start again.')
}

/** Also of a reply of the form `token=<…> app_id=<digits>`. */
const tokenIn = (pasted: string): string => /\btoken=(\S+)/.exec(pasted)?.[1] ?? pasted

/** Saves; why another token is needed, or `null` when it was saved. */
async function refusalOf(world: SetupWorld, credentials: DiscordCredentials): Promise<string | null> {
  try {
    await world.save({ ...credentials })
    return null
  } catch (error) {
    const isWrong =
      error instanceof ChannelError && (error.code === 'credentials_rejected' || error.code === 'credentials_invalid')
    if (isWrong) return error.message
    throw error
  }
}
