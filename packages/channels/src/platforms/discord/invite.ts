import { SetupFailure, type SetupGuide } from '../../setup/guide.ts'
import { discordCredentials } from './credentials.ts'
import { inviteUrl, prepareApplication, watchGuilds } from './portal.ts'

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
