import { expect, it } from 'vitest'
import { manualClock } from '../kit/testing-clock.ts'
import { type Bench, openBench, ROBOT } from './testing-app.ts'

const ANN = { id: 'manager807', name: 'Ann' }
const TO_PEOPLE = '/v1.0/robot/oToMessages/batchSend'
const TO_GROUP = '/v1.0/robot/groupMessages/send'
const markdown = (text: string) => ({ msgKey: 'sampleMarkdown', msgParam: JSON.stringify({ title: 'T', text }) })
const toAnn = (text: string) => ({ robotCode: ROBOT, userIds: [ANN.id], ...markdown(text) })
const reply = (text: string) => ({ msgtype: 'markdown', markdown: { title: 'T', text } })

/** Ann writes; the URL that answers her. */
async function webhook(bench: Bench): Promise<string> {
  const app = await bench.connect()
  await bench.control.say({ from: ANN, text: 'hello' })
  const { data } = await app.next()
  app.socket.terminate()
  return String(data['sessionWebhook'])
}

it('shows a reply by webhook, which has no id on the wire', async () => {
  await using bench = await openBench()
  const url = await webhook(bench)
  expect(await bench.call('POST', url, reply('**hi**'))).toEqual({ status: 200, body: { errcode: 0, errmsg: 'ok' } })
  expect(await bench.call('POST', url, { msgtype: 'text', text: { content: 'plain' } })).toMatchObject({ status: 200 })
  const sent = await bench.control.sent()
  expect(sent).toMatchObject([{ text: '**hi**' }, { text: 'plain' }])
  expect(new Set(sent.map(({ messageId }) => messageId)).size).toBe(2)
})

it.each([
  ['no title', { msgtype: 'markdown', markdown: { text: 'x' } }, 40035],
  ['a picture', { msgtype: 'image', image: { mediaId: '@x' } }, 40035],
  ['20 001 bytes', reply('x'.repeat(20_001 - Buffer.byteLength(JSON.stringify(reply(''))))), 460101],
] as const)('refuses a reply with %s', async (_why, body, errcode) => {
  await using bench = await openBench()
  expect(await bench.call('POST', await webhook(bench), body)).toMatchObject({ status: 200, body: { errcode } })
  expect(await bench.control.sent()).toEqual([])
})

it('takes a reply of exactly 20 000 bytes', async () => {
  await using bench = await openBench()
  const body = reply('x'.repeat(20_000 - Buffer.byteLength(JSON.stringify(reply('')))))
  expect(await bench.call('POST', await webhook(bench), body)).toMatchObject({ body: { errcode: 0 } })
})

it('refuses a reply with 300001 once its webhook is over', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock, webhookLifeMs: 1_000 })
  const url = await webhook(bench)
  await clock.advance(1_000)
  expect(await bench.call('POST', url, reply('late'))).toMatchObject({ status: 200, body: { errcode: 300001 } })
  const other = await webhook(bench)
  await bench.control.injectFault({ kind: 'expire_webhooks' })
  expect(await bench.call('POST', other, reply('late'))).toMatchObject({ body: { errcode: 300001 } })
})

it('blocks the 21st reply of a minute, and all of the next 10 minutes, while limits are on', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const url = await webhook(bench)
  await bench.control.injectFault({ kind: 'rate_limits', times: null })
  const codes: unknown[] = []
  for (let count = 0; count < 21; count++) codes.push((await bench.call('POST', url, reply('x'))).body['errcode'])
  expect(codes).toEqual([...Array.from({ length: 20 }, () => 0), 130101])
  await clock.advance(599_999)
  expect(await bench.call('POST', url, reply('x'))).toMatchObject({ body: { errcode: 130101 } })
  await clock.advance(1)
  expect(await bench.call('POST', url, reply('x'))).toMatchObject({ body: { errcode: 0 } })
})

it('sends to people, and lists those it cannot reach with status 200', async () => {
  await using bench = await openBench()
  const { chatId } = await bench.control.say({ from: ANN, text: 'hello' })
  const { status, body } = await bench.api('POST', TO_PEOPLE, { ...toAnn('hi'), userIds: [ANN.id, 'nobody'] })
  expect([status, body]).toMatchObject([200, { invalidStaffIdList: ['nobody'], flowControlledStaffIdList: [] }])
  expect(await bench.control.sent({ chatId })).toMatchObject([{ text: 'hi', messageId: body['processQueryKey'] }])
  await bench.control.injectFault({ kind: 'invalid_users' })
  expect(await bench.api('POST', TO_PEOPLE, toAnn('x'))).toMatchObject({
    status: 200,
    body: { invalidStaffIdList: [ANN.id] },
  })
  await bench.control.injectFault({ kind: 'flow_controlled_users' })
  expect(await bench.api('POST', TO_PEOPLE, toAnn('x'))).toMatchObject({
    status: 200,
    body: { invalidStaffIdList: [], flowControlledStaffIdList: [ANN.id] },
  })
  expect(await bench.control.sent()).toHaveLength(1)
})

it('sends to a group that it is a member of', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, group: { id: 'cidTeam==' }, text: 'hello' })
  const body = { robotCode: ROBOT, openConversationId: 'cidTeam==', ...markdown('to all') }
  expect(await bench.api('POST', TO_GROUP, body)).toMatchObject({
    status: 200,
    body: { processQueryKey: expect.any(String) },
  })
  expect(await bench.api('POST', TO_GROUP, { ...body, openConversationId: 'cidOther==' })).toMatchObject({
    status: 400,
  })
  expect(await bench.control.sent({ chatId: 'cidTeam==' })).toMatchObject([{ text: 'to all' }])
})

it.each([
  ['another robot', { robotCode: 'ding2' }, 'resource.not.found'],
  ['21 people', { userIds: Array.from({ length: 21 }, String) }, 'invalidParameter'],
  ['a parameter that is no text', { msgParam: { title: 'T', text: 'x' } }, 'invalidParameter'],
  ['markdown without a title', { msgParam: '{"text":"x"}' }, 'invalidParameter'],
  ['an unknown template', { msgKey: 'sampleNothing' }, 'invalidParameter'],
  ['a body above 20 000 bytes', markdown('x'.repeat(20_000)), '460101'],
] as const)('refuses %s', async (_why, wrong, code) => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  expect(await bench.api('POST', TO_PEOPLE, { ...toAnn('x'), ...wrong })).toMatchObject({ status: 400, body: { code } })
  expect(await bench.control.sent()).toEqual([])
})

it('wants a token that lives', async () => {
  const clock = manualClock()
  await using bench = await openBench({ clock })
  const { client_id: appKey, client_secret: appSecret } = (await bench.control.bot()).credentials
  expect(await bench.call('POST', '/v1.0/oauth2/accessToken', { appKey, appSecret: 'wrong' })).toMatchObject({
    status: 400,
    body: { code: 'invalidClientIdOrSecret' },
  })
  const issue = async () => {
    const { body } = await bench.call('POST', '/v1.0/oauth2/accessToken', { appKey, appSecret })
    expect(body['expireIn']).toBe(7_200)
    return { 'x-acs-dingtalk-access-token': String(body['accessToken']) }
  }
  const send = (headers: Readonly<Record<string, string>>) => bench.call('POST', TO_PEOPLE, toAnn('x'), headers)
  const old = await issue()
  expect(await send(old)).toMatchObject({ status: 200 })
  await clock.advance(7_200_000)
  const refused = { status: 401, body: { code: 'InvalidAuthentication', requestid: expect.any(String) } }
  expect(await send(old)).toMatchObject(refused)
  const young = await issue()
  await bench.control.injectFault({ kind: 'expire_tokens' })
  expect(await send(young)).toMatchObject(refused)
})

it('has the faults of a network, and the errors of the platform without effect', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  const method = 'oToMessages.batchSend'
  await bench.control.injectFault({ kind: 'drop_before', method })
  await expect(bench.api('POST', TO_PEOPLE, toAnn('never'))).rejects.toThrow()
  await bench.control.injectFault({ kind: 'drop_after', method })
  await expect(bench.api('POST', TO_PEOPLE, toAnn('shown'))).rejects.toThrow()
  await bench.control.injectFault({ kind: 'bad_gateway', method })
  expect(await bench.api('POST', TO_PEOPLE, toAnn('never'))).toMatchObject({ status: 502 })
  const code = 'Forbidden.AccessDenied.AccessTokenPermissionDenied'
  await bench.control.injectFault({ kind: 'error', code, method })
  expect(await bench.api('POST', TO_PEOPLE, toAnn('never'))).toMatchObject({
    status: 403,
    body: { code, accessdenieddetail: { requiredScopes: ['qyapi_robot_sendmsg'] } },
  })
  expect(await bench.control.sent()).toMatchObject([{ text: 'shown' }])
  expect((await bench.control.requests({ method })).map(({ status }) => status)).toEqual([0, 0, 502, 403])
})

it('meets only the chat that a fault names', async () => {
  await using bench = await openBench()
  await bench.control.say({ from: ANN, text: 'hello' })
  const bob = await bench.control.say({ from: { id: 'bob' }, text: 'hello' })
  await bench.control.injectFault({ kind: 'error', code: 'invalidParameter', chatId: bob.chatId })
  expect(await bench.api('POST', TO_PEOPLE, toAnn('x'))).toMatchObject({ status: 200 })
  expect(await bench.api('POST', TO_PEOPLE, { ...toAnn('x'), userIds: ['bob'] })).toMatchObject({ status: 400 })
})

it('shows an emotion as writing, until it is recalled', async () => {
  await using bench = await openBench()
  const { chatId, messageId } = await bench.control.say({ from: ANN, text: 'hello' })
  const body = {
    robotCode: ROBOT,
    openMsgId: messageId,
    openConversationId: chatId,
    emotionType: 2,
    emotionName: 'Thinking',
  }
  expect(await bench.api('POST', '/v1.0/robot/emotion/reply', body)).toMatchObject({ status: 200 })
  expect(await bench.control.typing()).toMatchObject([{ chatId }])
  expect(await bench.api('POST', '/v1.0/robot/emotion/recall', body)).toMatchObject({ status: 200 })
  expect(await bench.control.typing()).toEqual([])
  expect(await bench.api('POST', '/v1.0/robot/emotion/reply', { ...body, openMsgId: 'x' })).toMatchObject({
    status: 400,
  })
})
