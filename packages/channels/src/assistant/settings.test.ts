import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { Secret } from '../secret.ts'
import {
  parseCommandLine,
  AssistantSettingsError,
  resolveAssistantSettings,
  type AssistantSettingsInput,
} from './settings.ts'

it('answers with echo when nothing is set', () => {
  expect(resolveAssistantSettings()).toEqual({
    kind: 'echo',
    firstPieceMs: 120_000,
    idleMs: 60_000,
    totalMs: 600_000,
    historyMessages: 40,
    historyCharacters: 24_000,
    maxAnswerCharacters: 100_000,
  })
})

it('takes a model endpoint, trims its address and hides the key', () => {
  const settings = resolveAssistantSettings({
    kind: 'openai',
    baseUrl: ' https://llm.example.org/v1/ ',
    model: 'm',
    apiKey: ' sk-1234567890 ',
  })
  expect(settings).toMatchObject({ kind: 'openai', baseUrl: 'https://llm.example.org/v1', model: 'm' })
  expect(inspect(settings)).not.toContain('sk-1')
  expect(settings.kind === 'openai' && settings.apiKey?.reveal()).toBe('sk-1234567890')
})

it('keeps a query of an endpoint, and an empty system prompt', () => {
  expect(resolveAssistantSettings({ kind: 'http', url: 'http://127.0.0.1:9/reply?v=2#x', apiKey: '' })).toMatchObject({
    url: 'http://127.0.0.1:9/reply?v=2',
    apiKey: null,
  })
  const openai = { kind: 'openai', baseUrl: 'http://h/v1', model: 'm', systemPrompt: '' }
  expect(resolveAssistantSettings(openai)).toMatchObject({ systemPrompt: '', apiKey: null })
})

const wrong: readonly [input: AssistantSettingsInput, setting: string, problem: RegExp][] = [
  [{ kind: 'gpt' }, 'kind', /must be echo, openai, http or command/],
  [{ kind: 'openai', model: 'm' }, 'baseUrl', /is required/],
  [{ kind: 'openai', baseUrl: 'https://h/v1' }, 'model', /is required/],
  [{ kind: 'openai', baseUrl: 'h/v1', model: 'm' }, 'baseUrl', /begins with http/],
  [{ kind: 'openai', baseUrl: 'https://h/v1?key=hidden', model: 'm' }, 'baseUrl', /query/],
  [{ kind: 'openai', baseUrl: 'https://h', model: 'm', apiKey: 'hidden key' }, 'apiKey', /ASCII/],
  [{ kind: 'http', url: ' ' }, 'url', /is required/],
  [{ kind: 'http', url: 'file:///etc/passwd' }, 'url', /begins with http/],
  [{ kind: 'http', url: 'https://u:hidden@h/' }, 'url', /apiKey/],
  [{ kind: 'http', url: 'https://h/', apiKey: new Secret('hidden\nkey') }, 'apiKey', /ASCII/],
  [{ kind: 'command' }, 'command', /is required/],
  [{ kind: 'command', command: "run 'open" }, 'command', /unclosed quote/],
  [{ totalMs: 999 }, 'totalMs', /1000 to 86400000/],
  [{ firstPieceMs: Number.NaN }, 'firstPieceMs', /whole number/],
  [{ idleMs: 1_000.5 }, 'idleMs', /whole number/],
  [{ historyMessages: 0 }, 'historyMessages', /1 to 1000/],
  [{ historyCharacters: 99 }, 'historyCharacters', /100 to/],
  [{ maxAnswerCharacters: Number.POSITIVE_INFINITY }, 'maxAnswerCharacters', /100 to/],
]
it.each(wrong)('refuses %j', (input, setting, problem) => {
  const error = thrown(() => resolveAssistantSettings(input))
  expect(error).toBeInstanceOf(AssistantSettingsError)
  expect(error).toMatchObject({
    setting,
    message: expect.stringContaining(setting),
    problem: expect.stringMatching(problem),
  })
  expect(String(error)).not.toContain('hidden')
})

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return null
}

const lines: readonly [text: string, words: readonly string[]][] = [
  ['cat', ['cat']],
  ['  python3   -u\tbot.py\n', ['python3', '-u', 'bot.py']],
  [`'/opt/my tools/bot' --name "a b"`, ['/opt/my tools/bot', '--name', 'a b']],
  [String.raw`/opt/my\ tools/bot`, ['/opt/my tools/bot']],
  [String.raw`bot "say \"hi\" \\ \n" 'C:\x'`, ['bot', String.raw`say "hi" \ \n`, String.raw`C:\x`]],
  [`bot --key='a b'"c d"e ''`, ['bot', '--key=a bc de', '']],
  ['bot $HOME ~ * a|b && c > d', ['bot', '$HOME', '~', '*', 'a|b', '&&', 'c', '>', 'd']],
]
it.each(lines)('reads %j', (text, words) => {
  const [program, ...args] = words
  expect(parseCommandLine(text)).toEqual({ program, args })
})

const malformed: readonly [text: string, problem: string][] = [
  [`bot 'open`, 'has an unclosed quote'],
  ['bot "open', 'has an unclosed quote'],
  [String.raw`bot "open\"`, 'has an unclosed quote'],
  ['bot \\', 'ends with a backslash'],
  ['  ', 'must name a program'],
  [`'' bot`, 'must name a program'],
  ['bot\0', 'must not contain a NUL character'],
]
it.each(malformed)('refuses %j', (text, problem) => {
  expect(parseCommandLine(text)).toBe(problem)
})
