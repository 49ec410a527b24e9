import { expect, it } from 'vitest'
import { parseCommandLine } from './command-line.ts'

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

const wrong: readonly [text: string, problem: string][] = [
  [`bot 'open`, 'has a quote that is not closed'],
  ['bot "open', 'has a quote that is not closed'],
  [String.raw`bot "open\"`, 'has a quote that is not closed'],
  ['bot \\', 'ends with a backslash'],
  ['  ', 'must name a program'],
  [`'' bot`, 'must name a program'],
  ['bot\0', 'must not hold a NUL character'],
]
it.each(wrong)('refuses %j', (text, problem) => {
  expect(parseCommandLine(text)).toBe(problem)
})
