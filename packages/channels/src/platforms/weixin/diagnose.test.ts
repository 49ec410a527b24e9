import { expect, it } from 'vitest'
import type { Diagnosis } from '../../platform.ts'
import { weixin } from './platform.ts'
import { run, never } from '../wire/testing.ts'
import { openWorld, partFor } from './testing.ts'

const getStatus = (diagnoses: readonly Diagnosis[]): Readonly<Record<string, string>> =>
  Object.fromEntries(diagnoses.map(({ id, status }) => [id, status]))

it('warns that nobody can be written to before somebody has written, and takes no message from anybody', async () => {
  const { world, io } = await openWorld()
  expect(getStatus(await weixin.diagnose(world.credentials, io, never))).toEqual({
    server_reachable: 'pass',
    token_accepted: 'pass',
    cdn_reachable: 'pass',
    sends_left: 'warn',
  })
  expect(await world.control.requests({ method: 'getupdates' })).toEqual([])
})

it('is content with a running channel to which somebody wrote', async () => {
  const { world, io, connection } = await openWorld()
  const { message } = run(connection)
  await world.say('hello')
  await message('hello')
  await connection.send(partFor('hi'), never)
  const diagnoses = await weixin.diagnose(world.credentials, io, never)
  expect(diagnoses.every(({ status }) => status === 'pass')).toBe(true)
  expect(diagnoses.find(({ id }) => id === 'sends_left')?.detail).toMatch(
    /^1 reachable, with at least 8 sends left each\. Latest message \d+ s ago\.$/,
  )
  expect(diagnoses.some(({ id }) => id === 'polls_answered')).toBe(true)
})

it('warns of people who must write again', async () => {
  const { world, io, connection } = await openWorld()
  const { message } = run(connection)
  await world.say('hello')
  await message('hello')
  await world.control.injectFault({ kind: 'refused', method: 'sendmessage' })
  await connection.send(partFor('hi'), never)
  const window = (await weixin.diagnose(world.credentials, io, never)).find(({ id }) => id === 'sends_left')
  expect(window).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('1 out of sends') as unknown,
  })
})

it('tells an ended log-in from a server that cannot be asked', async () => {
  const { world, io } = await openWorld()
  await world.control.revoke()
  expect(getStatus(await weixin.diagnose(world.credentials, io, never))).toMatchObject({
    server_reachable: 'pass',
    token_accepted: 'fail',
  })
  await world.control.injectFault({ kind: 'bad_gateway', method: 'getconfig', times: null })
  const nowhere = { ...io, host: () => 'http://127.0.0.1:1' }
  expect(getStatus(await weixin.diagnose(world.credentials, nowhere, never))).toEqual({
    server_reachable: 'fail',
    cdn_reachable: 'warn',
    sends_left: 'warn',
  })
})
