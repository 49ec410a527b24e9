import { connect, type ApiClient } from './api.ts'
import { PROGRAM, SERVER_ARGS, type Command, type PlatformArgs } from './command.ts'
import { CliError, EXIT, usageError, type ExitCode } from './exit-code.ts'
import { jsonText, maskSecret, plainLine } from './text.ts'
import { reportRunning, runningText, waitRunning } from './wait-running.ts'
import type { ChannelDetails } from '@gatepost/channels'
import type { Io } from './io.ts'
import type { Prompts } from './prompts.ts'

interface Args extends PlatformArgs {
  readonly tokenFile: string | undefined
  readonly tokenStdin: boolean
  readonly baseUrl: string | undefined
}

/** A token never comes as an argument: those are seen by everybody on the machine. */
export const setup: Command<Args> = {
  name: 'setup',
  summary: 'connect a bot, step by step',
  examples: [
    `${PROGRAM} setup telegram`,
    `${PROGRAM} setup telegram --token-file ./bot-token`,
    `pass show bot-token | ${PROGRAM} setup telegram --token-stdin`,
  ],
  args: {
    platform: { kind: 'required', describe: 'telegram' },
    tokenFile: { kind: 'value', placeholder: 'path', describe: 'read the bot token from this file' },
    tokenStdin: { kind: 'flag', describe: 'read the bot token from standard input' },
    baseUrl: { kind: 'value', placeholder: 'address', describe: 'an own Bot API server instead of api.telegram.org' },
    ...SERVER_ARGS,
  },
  async run(args, io) {
    if (args.tokenFile !== undefined && args.tokenStdin)
      throw usageError('Give --token-file or --token-stdin, not both.')
    const client = await connect(args, io)
    const { platform } = await client.details(args.platform) // by its first name; also tells that the server is there
    if (platform !== 'telegram') {
      throw new CliError('platform_not_built', `${platform} cannot be set up from here in this version.`, {
        hints: [`${PROGRAM} setup telegram`],
      })
    }
    const unattended = args.tokenFile !== undefined || args.tokenStdin
    if (unattended) return setUpWith(client, (await givenToken(args, io)).trim(), args, io)
    if (!io.interactive || args.json) {
      throw usageError('There is nobody to ask for the bot token.', 'Use --token-file <path> or --token-stdin.')
    }
    return guide(client, args, await io.prompts(), io)
  },
}

const TOKEN_BYTES = 4096
/** @see reference of the channel API: `bot_token` */
const TOKEN_FORM = /^\d+:[\w-]{30,}$/
const formProblem = (token: string): string | undefined =>
  TOKEN_FORM.test(token)
    ? undefined
    : 'A bot token looks like 123456789:AAE… (digits, a colon, at least 30 characters).'

const givenToken = (args: Args, io: Io): Promise<string> =>
  args.tokenFile === undefined ? io.readInput(TOKEN_BYTES) : io.readFile(args.tokenFile, TOKEN_BYTES)

const credentials = (token: string, args: Args): Readonly<Record<string, string>> => ({
  bot_token: token,
  ...(args.baseUrl !== undefined && { base_url: args.baseUrl }),
})

async function setUpWith(client: ApiClient, token: string, args: Args, io: Io): Promise<ExitCode> {
  const problem = formProblem(token)
  if (problem) throw usageError(problem)
  const answer = await client.save('telegram', credentials(token, args))
  if (!args.json) return reportRunning(client, 'telegram', io)
  const details = await waitRunning(client, 'telegram', io)
  io.out.write(jsonText(answer))
  return details.running ? EXIT.ok : EXIT.failed
}

const BOTFATHER = [
  '1. Open https://t.me/BotFather in Telegram and send /newbot.',
  '2. Choose a display name, then a user name that ends in "bot".',
  '3. Copy the token that BotFather answers with.',
  '',
  'You have a bot already? Send /mybots, choose it, then "API Token".',
]

async function guide(client: ApiClient, args: Args, prompts: Prompts, io: Io): Promise<ExitCode> {
  prompts.intro('Connect a Telegram bot')
  prompts.note('Get a bot token', BOTFATHER)
  const bot = await saveAccepted(client, args, prompts)
  const started = (): Promise<ChannelDetails> => waitRunning(client, 'telegram', io)
  const details = await prompts.busy('Starting', started, (found) => runningText(found, io))
  if (!details.running) {
    prompts.outro(`Look closer: ${PROGRAM} doctor telegram`)
    return EXIT.failed
  }
  prompts.outro(`${whereToWrite(bot)}, press Start and say something.`)
  return EXIT.ok
}

/** Asks for a token until the platform accepts one and it is saved, or the person gives up. Answers the bot's name. */
async function saveAccepted(client: ApiClient, args: Args, prompts: Prompts): Promise<string> {
  for (;;) {
    const token = await prompts.secret('Paste the bot token (it stays hidden)', formProblem)
    try {
      const body = credentials(token, args)
      const asked = prompts.busy(
        'Asking Telegram',
        () => client.test('telegram', body),
        ({ bot }) => `The token ending in ${maskSecret(token)} belongs to ${plainLine(bot.name)}.`,
      )
      const name = plainLine((await asked).bot.name)
      await prompts.busy(
        'Saving',
        () => client.save('telegram', body),
        () => 'Saved.',
      )
      return name
    } catch (error) {
      if (!(error instanceof CliError) || !RETRY.has(error.code)) throw error
      if (!(await prompts.confirm('Try again with another token?', true))) throw error
    }
  }
}
const RETRY: ReadonlySet<string> = new Set([
  'credentials_rejected',
  'credentials_invalid',
  'platform_unreachable',
  'http_422',
])

/** Telegram's own rule for a bot's user name: 5 to 32 characters, ending in `bot`. */
const USERNAME = /^@?([a-z]\w{1,28}bot)$/i

const whereToWrite = (bot: string): string => {
  const username = USERNAME.exec(bot)?.[1]
  return username ? `Open https://t.me/${username}` : `Open ${bot} in Telegram`
}
