import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Answer, type Bench, openBench, ROBOT } from './testing-app.ts'

const ANN = { id: 'manager807', name: 'Ann' }

const create = (bench: Bench, outTrackId = 'c1'): Promise<Answer> =>
  bench.api('POST', '/v1.0/card/instances', {
    cardTemplateId: '02fcf2f4-5e02-4a85-b672-46d1f715543e.schema',
    outTrackId,
    cardData: { cardParamMap: { config: '{"autoLayout":true}' } },
    callbackType: 'STREAM',
    imGroupOpenSpaceModel: { supportForward: true },
    imRobotOpenSpaceModel: { supportForward: true },
  })
const deliver = (bench: Bench, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> =>
  bench.api('POST', '/v1.0/card/instances/deliver', {
    outTrackId: 'c1',
    userIdType: 1,
    openSpaceId: `dtv1.card//IM_ROBOT.${ANN.id}`,
    imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode: ROBOT },
    ...more,
  })
const stream = (bench: Bench, guid: string, content: string, isFinalize = false): Promise<Answer> =>
  bench.api('PUT', '/v1.0/card/streaming', {
    outTrackId: 'c1',
    guid,
    key: 'msgContent',
    content,
    isFull: true,
    isFinalize,
    isError: false,
  })
const update = (bench: Bench, cardParamMap: Readonly<Record<string, string>>): Promise<Answer> =>
  bench.api('PUT', '/v1.0/card/instances', { outTrackId: 'c1', cardData: { cardParamMap } })

it('shows a card from its first text on, and lets it spin until its flow is finished', async () => {
  await using bench = await openBench()
  const { chatId } = await bench.control.say({ from: ANN, text: 'hello' })
  expect(await create(bench)).toMatchObject({ status: 200, body: { success: true } })
  expect(await deliver(bench)).toMatchObject({ status: 200, body: { success: true } })
  expect(await bench.control.sent()).toEqual([])
  await update(bench, { flowStatus: '2', msgContent: 'one', staticMsgContent: '', sys_full_json_obj: '{}' })
  await stream(bench, 'g1', 'one two')
  await stream(bench, 'g1', 'one two, but an old guid')
  await stream(bench, 'g2', 'one two three', true)
  expect(await bench.control.sent()).toMatchObject([{ chatId, text: 'one two three', edits: 2, unfinished: true }])
  await update(bench, { flowStatus: '3', msgContent: 'one two three' })
  expect(await bench.control.sent()).toMatchObject([{ text: 'one two three', edits: 2, unfinished: false }])
})

it('shows one card for one outTrackId, however often it is made and delivered', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  for (const step of [create, deliver, create, deliver]) expect(await step(bench)).toMatchObject({ status: 200 })
  await stream(bench, 'g1', 'text')
  expect(await bench.control.sent()).toHaveLength(1)
})

it('delivers to a group', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, group: { id: 'cidTeam==' }, text: 'hello' })
  await create(bench)
  const group = { openSpaceId: 'dtv1.card//IM_GROUP.cidTeam==', imGroupOpenDeliverModel: { robotCode: ROBOT } }
  expect(await deliver(bench, group)).toMatchObject({ status: 200 })
  await stream(bench, 'g1', 'to all')
  expect(await bench.control.sent({ chatId: 'cidTeam==' })).toMatchObject([{ text: 'to all' }])
})

it.each([
  ['a person who is not known', { openSpaceId: 'dtv1.card//IM_ROBOT.nobody' }, 'invalidParameter'],
  ['another robot', { imRobotOpenDeliverModel: { spaceType: 'IM_ROBOT', robotCode: 'x' } }, 'resource.not.found'],
  ['a card that was not made', { outTrackId: 'other' }, 'invalidParameter'],
  ['no place', { openSpaceId: 'x' }, 'invalidParameter'],
] as const)('refuses to deliver to %s', async (_why, wrong, code) => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  await create(bench)
  expect(await deliver(bench, wrong)).toMatchObject({ status: 400, body: { code } })
})

it('refuses a streaming call without guid or content, or with another key', async () => {
  await using bench = await openBench()
  await create(bench)
  const call = (wrong: Readonly<Record<string, unknown>>) =>
    bench.api('PUT', '/v1.0/card/streaming', { outTrackId: 'c1', guid: 'g', key: 'msgContent', content: 'x', ...wrong })
  for (const wrong of [{ guid: '' }, { key: 'other' }, { content: 1 }])
    expect(await call(wrong)).toMatchObject({ status: 400 })
  expect(await call({})).toMatchObject({ status: 200 })
})

it('answers QpsLimit to the 41st card call of a second, while limits are on', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  await create(bench)
  await clock.advance(1_000)
  await bench.control.injectFault({ kind: 'rate_limits', times: null })
  const statuses: number[] = []
  for (let count = 0; count < 41; count++) statuses.push((await stream(bench, `g${count}`, 'x')).status)
  expect(statuses).toEqual([...Array.from({ length: 40 }, () => 200), 403])
  await clock.advance(1_000)
  expect(await stream(bench, 'later', 'x')).toMatchObject({ status: 200 })
})
