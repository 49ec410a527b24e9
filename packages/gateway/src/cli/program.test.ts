import { describe, expect, it } from 'vitest'
import { COMMANDS } from './commands.ts'
import { VERSION } from '../version.ts'
import { runCli } from './testing/test-io.ts'

describe('the command line', () => {
  it('shows every command, the exit codes and where to start', async () => {
    const run = await runCli(['--help'])
    expect(run.code).toBe(0)
    for (const name of Object.keys(COMMANDS)) expect(run.out).toMatch(new RegExp(`^ {2}${name} `, 'm'))
    expect(run.out).toContain('Exit codes:')
    expect(run.out).toContain('npx gatepost demo')
  })

  it.each(Object.keys(COMMANDS))('%s has help with an example', async (name) => {
    const run = await runCli([...name.split(' '), '--help'])
    expect(run.code).toBe(0)
    expect(run.out).toContain(`npx gatepost ${name}`)
  })

  it('every command goes by its own name', async () => {
    for (const [name, load] of Object.entries(COMMANDS)) expect((await load()).name).toBe(name)
  })

  it('tells its version, and helps by word as well', async () => {
    expect(await runCli(['--version'])).toMatchObject({ code: 0, out: `${VERSION}\n` })
    expect(await runCli(['help', 'send'])).toMatchObject({ code: 0, out: (await runCli(['send', '--help'])).out })
  })

  it.each([
    ['an unknown command', ['stauts'], /unknown command 'stauts'.*status/i],
    ['a name of every object', ['constructor'], /unknown command/i],
    ['an unknown option', ['status', '--colour'], /unknown option '--colour'/i],
    ['a missing argument', ['enable'], /missing required argument 'platform'/i],
    ['too many arguments', ['users', 'telegram', 'x'], /too many arguments/i],
  ])('exits with 2 for %s', async (_why, line, sentence) => {
    const run = await runCli(line)
    expect(run.code).toBe(2)
    expect(run.err).toMatch(sentence)
    expect(run.out).toBe('')
    const json = await runCli([...line, '--json'])
    expect(json.code).toBe(2)
    expect(json.json()).toMatchObject({ ok: false, code: 'usage' })
  })

  it('without a command shows the help and exits with 2', async () => {
    const run = await runCli([])
    expect([run.code, run.out]).toEqual([2, expect.stringContaining('Usage: gatepost <command>')])
  })

  it('colours errors only where there are colours', async () => {
    expect((await runCli(['enable'], { colour: true })).err).toContain('\u001b[31mError:')
    expect((await runCli(['enable'])).err).toMatch(/^Error: /)
  })
})
