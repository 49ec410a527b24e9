import { Secret } from '../secret.ts'

/** Limits on the history passed to an assistant, and on the time and size of its reply. */
export interface AssistantLimits {
  /** Longest wait for the first piece of a reply, in milliseconds, 1,000 to 3,600,000. Default 120,000. */
  readonly firstPieceMs: number
  /** Longest pause once the assistant has started to send, in milliseconds, 1,000 to 3,600,000. Default 60,000. */
  readonly idleMs: number
  /** Longest time for a complete reply, in milliseconds, 1,000 to 86,400,000. Default 600,000. */
  readonly totalMs: number
  /** Most messages passed to the assistant, 1 to 1,000. Default 40. The ones to answer are always included. */
  readonly historyMessages: number
  /** Most characters (UTF-16) of those messages together, 100 to 10,000,000. Default 24,000. */
  readonly historyCharacters: number
  /** Longest reply (UTF-16), 100 to 1,000,000; a longer one is cut off with a note. Default 100,000. */
  readonly maxAnswerCharacters: number
}

/** Echoes the text. For trying things out. */
interface EchoSettings extends AssistantLimits {
  readonly kind: 'echo'
}

/** Any endpoint with an OpenAI-compatible chat completions API. */
export interface OpenAiSettings extends AssistantLimits {
  readonly kind: 'openai'
  /** E.g. `https://llm.example.org/v1`. No default: a wrong guess would send conversations to a stranger. */
  readonly baseUrl: string
  /** Sent as a bearer token. Default: none is sent, as local endpoints expect. */
  readonly apiKey: Secret | null
  /** The endpoint's name of the model. No default. */
  readonly model: string
  /** System prompt; empty: none. Default: reply concisely, in Markdown. */
  readonly systemPrompt: string
}

/** An endpoint of your own: see docs/assistants.md. */
export interface HttpSettings extends AssistantLimits {
  readonly kind: 'http'
  /** The URL to post to, e.g. `http://127.0.0.1:9000/reply`. No default. */
  readonly url: string
  /** Sent as a bearer token. Default: none. */
  readonly apiKey: Secret | null
}

/** A local program: see docs/assistants.md. */
export interface CommandSettings extends AssistantLimits {
  readonly kind: 'command'
  /** Program and arguments; written as one text, see `parseCommandLine`. No default. */
  readonly command: CommandLine
}

/** Settings of an assistant, by its kind. */
export type AssistantSettings = EchoSettings | OpenAiSettings | HttpSettings | CommandSettings

/**
 * Assistant settings as the host passes them. Settings of other kinds than `kind` are ignored. Empty strings count as not
 * given, except `systemPrompt`.
 */
export interface AssistantSettingsInput extends Partial<AssistantLimits> {
  /** Default `echo`. */
  readonly kind?: string
  readonly baseUrl?: string
  readonly apiKey?: string | Secret
  readonly model?: string
  readonly systemPrompt?: string
  readonly url?: string
  readonly command?: string
}

/** An invalid setting. The message is one sentence that names it and contains no secret. */
export class AssistantSettingsError extends Error {
  override readonly name = 'AssistantSettingsError'
  /** Lets the host name the setting in its own terms, e.g. as an environment variable. */
  readonly setting: keyof AssistantSettingsInput
  /** The message without the name of the setting: `must be …`. */
  readonly problem: string
  constructor(setting: keyof AssistantSettingsInput, problem: string) {
    super(`The assistant's setting ${setting} ${problem}.`)
    this.setting = setting
    this.problem = problem
  }
}

/** System prompt of the `openai` assistant when none is set. */
export const DEFAULT_SYSTEM_PROMPT: string =
  'You are a helpful assistant in a chat. Answer in the language of the question, concisely, in Markdown.'

const LIMITS: { readonly [K in keyof AssistantLimits]: { fallback: number; min: number; max: number } } = {
  firstPieceMs: { fallback: 120_000, min: 1_000, max: 3_600_000 },
  idleMs: { fallback: 60_000, min: 1_000, max: 3_600_000 },
  totalMs: { fallback: 600_000, min: 1_000, max: 86_400_000 },
  historyMessages: { fallback: 40, min: 1, max: 1_000 },
  historyCharacters: { fallback: 24_000, min: 100, max: 10_000_000 },
  maxAnswerCharacters: { fallback: 100_000, min: 100, max: 1_000_000 },
}

/** Fills in defaults and checks, once, at start. @throws {AssistantSettingsError} naming the setting */
export function resolveAssistantSettings(input: AssistantSettingsInput = {}): AssistantSettings {
  const limits = resolveLimits(input)
  const kind = input.kind || 'echo'
  switch (kind) {
    case 'echo':
      return Object.freeze({ ...limits, kind })
    case 'openai': {
      const baseUrl = endpoint('baseUrl', input.baseUrl).replace(/\/+$/, '')
      const systemPrompt = input.systemPrompt ?? DEFAULT_SYSTEM_PROMPT
      return Object.freeze({
        ...limits,
        kind,
        baseUrl,
        apiKey: bearer(input),
        model: required('model', input.model),
        systemPrompt,
      })
    }
    case 'http':
      return Object.freeze({ ...limits, kind, url: endpoint('url', input.url), apiKey: bearer(input) })
    case 'command':
      return Object.freeze({ ...limits, kind, command: commandLine(required('command', input.command)) })
    default:
      throw new AssistantSettingsError('kind', 'must be echo, openai, http or command')
  }
}

function resolveLimits(input: AssistantSettingsInput): AssistantLimits {
  const limit = (name: keyof AssistantLimits): number => {
    const { fallback, min, max } = LIMITS[name]
    const value = input[name] ?? fallback
    if (Number.isSafeInteger(value) && value >= min && value <= max) return value
    throw new AssistantSettingsError(name, `must be a whole number from ${min} to ${max}`)
  }
  return {
    firstPieceMs: limit('firstPieceMs'),
    idleMs: limit('idleMs'),
    totalMs: limit('totalMs'),
    historyMessages: limit('historyMessages'),
    historyCharacters: limit('historyCharacters'),
    maxAnswerCharacters: limit('maxAnswerCharacters'),
  }
}

function required(setting: 'baseUrl' | 'model' | 'url' | 'command', value: string | undefined): string {
  const text = value?.trim() ?? ''
  if (text === '') throw new AssistantSettingsError(setting, 'is required')
  return text
}

/** Error messages do not repeat the value: a query may contain a secret. */
function endpoint(setting: 'baseUrl' | 'url', value: string | undefined): string {
  const url = URL.parse(required(setting, value))
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw new AssistantSettingsError(setting, 'must be a URL that begins with http:// or https://')
  if (url.username !== '' || url.password !== '')
    throw new AssistantSettingsError(setting, 'must not contain a username or password; use apiKey')
  if (setting === 'baseUrl' && (url.search !== '' || url.hash !== ''))
    throw new AssistantSettingsError(setting, 'must not contain a query or fragment')
  url.hash = ''
  return url.href
}

function bearer({ apiKey }: AssistantSettingsInput): Secret | null {
  const key = (apiKey instanceof Secret ? apiKey.reveal() : (apiKey ?? '')).trim()
  if (key === '') return null
  if (!/^[\x21-\x7e]+$/.test(key)) throw new AssistantSettingsError('apiKey', 'must be printable ASCII without spaces')
  return new Secret(key)
}

function commandLine(text: string): CommandLine {
  const command = parseCommandLine(text)
  if (typeof command === 'string') throw new AssistantSettingsError('command', command)
  return command
}

/** A program and its arguments, as passed to the operating system. */
interface CommandLine {
  /** A path, or a name looked up in `PATH`. */
  readonly program: string
  readonly args: readonly string[]
}

/**
 * Parses a program and its arguments. No shell is involved: variables, `~`, globs, pipes and `&&` have no meaning and are
 * passed through. Words are separated by white space. `'…'` is literal, and so is `"…"` except for the escapes `\"` and
 * `\\`; outside quotes `\` escapes the next character. Adjacent quoted and unquoted pieces form one word; `''` is an
 * empty word.
 * @returns The command line, or a problem as the end of a sentence.
 */
export function parseCommandLine(text: string): CommandLine | string {
  if (text.includes('\0')) return 'must not contain a NUL character'
  const words: string[] = []
  let word: string | null = null
  let rest = text
  while (rest !== '') {
    const token = TOKEN.exec(rest)
    if (token === null) return rest.startsWith('\\') ? 'ends with a backslash' : 'has an unclosed quote'
    const { space, plain, single, double, escaped } = token.groups ?? {}
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else {
      word = (word ?? '') + (plain ?? single ?? double?.replace(/\\(["\\])/g, '$1') ?? escaped ?? '')
    }
    rest = rest.slice(token[0].length)
  }
  if (word !== null) words.push(word)
  const [program, ...args] = words
  if (program === undefined || program === '') return 'must name a program'
  return { program, args }
}

const TOKEN =
  /^(?:(?<space>\s+)|(?<plain>[^\s'"\\]+)|'(?<single>[^']*)'|"(?<double>(?:[^"\\]|\\[\s\S])*)"|\\(?<escaped>[\s\S]))/
