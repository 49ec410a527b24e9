import { expect, it } from 'vitest'
import { openBench } from './testing-app.ts'

const ANN = { id: 'manager807', name: 'Ann' }
const TEAM = { id: 'cidTeam==', title: 'Team' }
const base64 = btoa('content')

it.each([
  [
    'a picture',
    { file: { kind: 'image', base64 } },
    { msgtype: 'picture', content: { downloadCode: expect.any(String) } },
  ],
  [
    'a picture with words',
    { text: 'look', file: { kind: 'image', base64 } },
    { msgtype: 'richText', content: { richText: [{ text: 'look' }, { type: 'picture' }] } },
  ],
  [
    'a voice',
    { text: 'as heard', file: { kind: 'voice', base64 } },
    { msgtype: 'audio', content: { recognition: 'as heard' } },
  ],
  ['a video', { file: { kind: 'video', base64 } }, { msgtype: 'video', content: { videoType: 'mp4' } }],
  [
    'a file',
    { file: { kind: 'file', base64, name: 'a.pdf' } },
    { msgtype: 'file', content: { fileName: 'a.pdf', spaceId: expect.any(String) } },
  ],
] as const)('hands over %s', async (_why, what, data) => {
  await using bench = await openBench()
  const app = await bench.connect()
  await bench.control.say({ from: ANN, ...what })
  expect((await app.next()).data).toMatchObject({ conversationType: '1', ...data })
})

it('hands over of a group only what mentions the bot, the mention taken out', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  await bench.control.say({ from: ANN, group: TEAM, text: 'among us' })
  const said = await bench.control.say({ from: ANN, group: TEAM, text: 'for you', mention: true })
  expect((await app.next()).data).toMatchObject({
    msgId: said.messageId,
    conversationId: TEAM.id,
    conversationType: '2',
    conversationTitle: 'Team',
    isInAtList: true,
    text: { content: ' for you' },
  })
  expect(await bench.control.conversation({ chatId: TEAM.id })).toHaveLength(2)
  expect(await bench.control.events()).toHaveLength(1)
})

it('shows what is quoted, words or a file with a code of its own', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  const words = await bench.control.say({ from: ANN, text: 'first' })
  const picture = await bench.control.say({ from: ANN, file: { kind: 'image', base64, name: 'a.png' } })
  await bench.control.say({ from: ANN, text: 'this', replyTo: words.messageId })
  await bench.control.say({ from: ANN, text: 'and this', replyTo: picture.messageId })
  const [, , one, other] = [await app.next(), await app.next(), await app.next(), await app.next()]
  expect(one.data).toMatchObject({
    text: { isReplyMsg: true, repliedMsg: { msgType: 'text', content: { text: 'first' }, msgId: words.messageId } },
  })
  expect(other.data).toMatchObject({
    text: { repliedMsg: { msgType: 'picture', content: { downloadCode: expect.any(String) } } },
  })
})

it('knows people outside the organisation by their open id alone', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  await bench.control.injectFault({ kind: 'outsider' })
  await bench.control.say({ from: { id: 'guest' }, text: 'hello' })
  const { data } = await app.next()
  expect(data).toMatchObject({ senderId: expect.stringContaining('$:LWCP_v1:$') })
  expect(data).not.toHaveProperty('senderStaffId')
  const send = {
    robotCode: 'dinggatepostemulator',
    userIds: ['guest'],
    msgKey: 'sampleText',
    msgParam: '{"content":"x"}',
  }
  expect(await bench.api('POST', '/v1.0/robot/oToMessages/batchSend', send)).toMatchObject({
    status: 200,
    body: { invalidStaffIdList: ['guest'] },
  })
})

it('gives a file by its code, once asked for with the token, to a request without a Content-Type', async () => {
  await using bench = await openBench()
  const app = await bench.connect()
  await bench.control.say({ from: ANN, file: { kind: 'file', base64, name: 'a.pdf' } })
  const { content } = (await app.next()).data as { content: { downloadCode: string } } // as the platform's document has it
  const path = '/v1.0/robot/messageFiles/download'
  const body = { robotCode: 'dinggatepostemulator', downloadCode: content.downloadCode }
  expect(await bench.call('POST', path, body)).toMatchObject({ status: 401, body: { code: 'InvalidAuthentication' } })
  const url = String((await bench.api('POST', path, body)).body['downloadUrl'])
  expect(await (await fetch(url)).text()).toBe('content')
  const signedWrong = await fetch(url, { headers: { 'content-type': 'application/json' } })
  expect([signedWrong.status, await signedWrong.text()]).toEqual([
    403,
    expect.stringContaining('SignatureDoesNotMatch'),
  ])
  expect(await bench.api('POST', path, { ...body, downloadCode: 'other' })).toMatchObject({ status: 400 })
})
