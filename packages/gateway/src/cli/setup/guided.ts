import type { ApiClient } from '../api.ts'
import { allowedUsers, runningText, waitRunning } from '../commands/channel-view.ts'
import { PROGRAM } from '../command.ts'
import { CliError, EXIT, usageError, type ExitCode } from '../exit-code.ts'
import { plainLine } from '../text.ts'
import type { ChannelDetails, SetupKind, SetupView } from '@gatepost/channels'
import type { Io } from '../io.ts'
import type { Prompts } from '../prompts.ts'
import type { SetupArgs } from './args.ts'
import { offerFeishuCli } from './feishu-cli.ts'
import { terminalQr } from './terminal-qr.ts'
import { serverFields } from './unattended.ts'

const KINDS: readonly SetupKind[] = ['qr', 'paste', 'portal', 'invite']
/** How long one request waits for a change, in seconds. */
const LOOK_SECONDS = 20
/** Errors after which a new code may help. */
const AGAIN: ReadonlySet<string | null> = new Set([
  'expired',
  'stale_session',
  'refused',
  'code_blocked',
  'unreachable',
])
/** Maximum number of attempts. */
const RETRIES = 3

/** Guides a person through a setup that the service runs. */
export async function guide(client: ApiClient, args: SetupArgs, prompts: Prompts, io: Io): Promise<ExitCode> {
  const { platform } = await client.details(args.platform) // resolves an alias, and fails early if the server is down
  const fields = serverFields(platform, args.baseUrl)
  const kind = await chooseKind(client, platform, args, prompts)
  for (let tries = 1; ; tries += 1) {
    const begun = await client.startSetup(platform, kind, args.baseUrl === undefined ? undefined : fields)
    const ended = await follow(client, begun, prompts, io).catch(async (error: unknown) => {
      const left = error instanceof CliError && error.exit === EXIT.interrupted
      if (left) await client.cancelSetup(platform, begun.id).catch(() => undefined) // the service also ends it on its own
      throw error
    })
    // an account that is already connected keeps its credentials
    if (ended.error === 'already_bound') prompts.info(plainLine(ended.message))
    if (ended.state === 'done' || ended.error === 'already_bound') return finish(client, ended, prompts, io)
    const failure = new CliError(ended.error ?? 'setup_failed', ended.message)
    if (!AGAIN.has(ended.error)) throw failure
    prompts.info(plainLine(ended.message))
    if (tries >= RETRIES || !(await prompts.confirm('Start again with a new code?', true))) throw failure
  }
}

async function chooseKind(client: ApiClient, platform: string, args: SetupArgs, prompts: Prompts): Promise<SetupKind> {
  const { ways } = await client.setupWays(platform)
  const [first, second] = ways
  if (!first) throw new CliError('setup_kind_unknown', `This version can't set up ${platform}.`)
  if (args.kind !== undefined) {
    const asked = KINDS.find((kind) => kind === args.kind)
    if (asked && ways.some(({ kind }) => kind === asked)) return asked
    throw usageError(`--kind must be one of: ${ways.map(({ kind }) => kind).join(', ')}.`)
  }
  const offered = ways.filter(({ kind }) => kind !== 'invite')
  prompts.intro(`Connect ${platform}`)
  if (!second || offered.length < 2) return first.kind
  return prompts.choose(
    'How do you want to set it up?',
    offered.map(({ kind, title }) => ({ value: kind, label: title })),
  )
}

/** Shows the setup's instructions and prompts for its fields until it ends. */
async function follow(client: ApiClient, begun: SetupView, prompts: Prompts, io: Io): Promise<SetupView> {
  prompts.note(
    begun.title,
    begun.instructions.map((line, index) => `${index + 1}. ${line}`),
  )
  let view = begun
  let shown = ''
  for (;;) {
    if (view.state === 'done' || view.state === 'failed') return view
    if (view.state === 'input_needed') {
      view = await answer(client, view, prompts)
      continue
    }
    if (view.url !== undefined && view.url !== shown) {
      shown = view.url
      showAddress(view, prompts, io)
    }
    view = await waitForChange(client, view, prompts, io)
  }
}

function showAddress(view: SetupView, prompts: Prompts, io: Io): void {
  const url = view.url ?? ''
  if (view.qr === undefined) return prompts.note('Open this page', [url])
  io.out.write(terminalQr(url))
  const minutes = view.expires_at === null ? null : Math.round((view.expires_at - io.clock.now()) / 60_000)
  prompts.note('Scan the code, or open', [
    url,
    ...(minutes === null ? [] : [`The code expires in ${minutes} minutes.`]),
  ])
}

async function answer(client: ApiClient, view: SetupView, prompts: Prompts): Promise<SetupView> {
  prompts.info(plainLine(view.message))
  const values: Record<string, string> = {}
  for (const { name, label, secret } of view.fields) {
    const needed = (value: string): string | undefined => (value === '' ? 'Enter a value.' : undefined)
    const question = label.charAt(0).toUpperCase() + label.slice(1)
    values[name] = secret
      ? await prompts.secret(`${question} (hidden)`, needed)
      : await prompts.text(question, '', needed)
  }
  const taken = client.answerSetup(view.platform, view.id, values)
  return prompts.busy(
    'Checking with the platform',
    async () => waitUntilSettled(client, await taken),
    (next) => (next.state === 'done' || next.saved ? 'Accepted.' : plainLine(next.message)),
  )
}

/** Waits until the service has processed the input. */
async function waitUntilSettled(client: ApiClient, taken: SetupView): Promise<SetupView> {
  let view = taken
  while (view.state === 'working') {
    view = await client.setup(view.platform, view.id, { version: view.version, waitSeconds: LOOK_SECONDS })
  }
  return view
}

/** Waits for a change, with a countdown while a code is shown. */
async function waitForChange(client: ApiClient, view: SetupView, prompts: Prompts, io: Io): Promise<SetupView> {
  const message = plainLine(view.message)
  const { expires_at: until } = view
  const text = (): string => (until === null ? message : `${message} ${countdown(until - io.clock.now())} left`)
  const look = async (): Promise<SetupView> => {
    let next = view
    while (next.version === view.version && next.state !== 'done' && next.state !== 'failed') {
      next = await client.setup(view.platform, view.id, { version: view.version, waitSeconds: LOOK_SECONDS })
    }
    return next
  }
  return prompts.busy(text, look, (next) => plainLine(next.message))
}

const countdown = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

async function finish(client: ApiClient, view: SetupView, prompts: Prompts, io: Io): Promise<ExitCode> {
  const { platform } = view
  const started = (): Promise<ChannelDetails> => waitRunning(client, platform, io)
  const details = await prompts.busy('Starting', started, (found) => runningText(found, io))
  noteAllowedUsers(view, details, prompts)
  if (!details.running) {
    prompts.outro(`Find out why: ${PROGRAM} doctor ${platform}`)
    return EXIT.failed
  }
  if (platform === 'feishu') await offerFeishuCli(prompts, io)
  prompts.outro(`${whereToWrite(details)} and send a message.`)
  return EXIT.ok
}

/** Explains whom the bot replies to. Whoever confirmed is added only if the list was empty. */
function noteAllowedUsers({ first_user }: SetupView, details: ChannelDetails, prompts: Prompts): void {
  const allowed = allowedUsers(details)
  if (first_user === null || !allowed || allowed.length === 0) return
  const who = plainLine(first_user.name ?? first_user.id)
  const change = `${PROGRAM} reconfigure ${details.platform} --allowed-users`
  if (!allowed.includes(first_user.id)) {
    const all = [...allowed, first_user.id].map(plainLine).join(',')
    prompts.note('Allowed users', [`The list is unchanged and doesn't include ${who}. To add them: ${change} "${all}"`])
  } else if (allowed.length === 1) {
    prompts.note('Allowed users', [
      `The bot replies only to ${who}, who confirmed the setup. To reply to everyone: ${change} ""`,
    ])
  }
}

/** Telegram's rule for bot usernames: 5 to 32 characters, ending in `bot`. */
const TELEGRAM_NAME = /^@?([a-z]\w{1,28}bot)$/i

function whereToWrite({ platform, bot }: ChannelDetails): string {
  const name = plainLine(bot?.name ?? '')
  const username = platform === 'telegram' ? TELEGRAM_NAME.exec(name)?.[1] : undefined
  if (username) return `Open https://t.me/${username}, press Start`
  return name === '' ? 'Open a chat with the bot' : `Open a chat with ${name}`
}
