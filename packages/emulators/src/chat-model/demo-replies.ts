import { type ChatModelRequest, lastUserText, userTexts } from './emulator.ts'

/** Patterns for a lowercase question, with a reply in Markdown. The first match wins. */
type Replies = readonly (readonly [question: RegExp, reply: string])[]

const ABOUT = `I'm a small assistant built into this demo: *no internet, no account, no model*.

Connect your own model and **it** replies here instead.`

const ENGLISH: Replies = [
  [
    /\b(?:help|what can|commands?|menu)\b|^\?+$/,
    `Here's what you can try:

- **stream**: a longer reply that grows as you read
- **table**: some numbers side by side
- **code**: a snippet in a code block
- **list**: a plan in three steps

Then cut the network and send a message. I'll reply *once it's back*, exactly once.`,
  ],
  [
    /\bstream|\blong(?:er)?\b|\bstory\b/,
    `**How a reply reaches you**

1. The platform delivers your message.
2. Gatepost stores it *before* acknowledging it.
3. The assistant starts to write, word by word, like this.
4. You watch it grow, as far as the platform supports it.

What if the connection drops mid-sentence? Nothing is lost: every received message gets a reply, and no reply is shown twice.`,
  ],
  [
    /\btables?\b|\bfigures?\b|\bnumbers?\b/,
    `Berths this afternoon:

| Berth | Ship | Until |
|---|---|---|
| 4 | Marlin | 14:30 |
| 7 | Tern | 16:10 |
| 9 | free | |`,
  ],
  [
    /\bcode\b|\bscripts?\b|\bsnippet\b/,
    `Sending a notification from a shell takes one line:

\`\`\`sh
npx gatepost send telegram "The build is done."
\`\`\`

It works over HTTP too, with an access token.`,
  ],
  [
    /\blists?\b|\bplans?\b|\bsteps?\b|\btodo\b/,
    `Three things to do before **14:30**:

1. Fuel: *420 of 600* liters loaded
2. Papers: one name missing from the crew list
3. Weather: wind turning **northwest** at noon`,
  ],
  [
    /\bare you (?:still )?there\b|\bback\b|\bstill\b|\banybody\b/,
    "Yes, I'm here. The messages you sent while the connection was down are **not lost**.",
  ],
  [/\bthank|\bthx\b|\bgreat\b|\bcool\b|\bnice\b/, "You're welcome! Try **table**, or cut my network next."],
  [/\bbye\b|\bgood ?night\b/, "Goodbye! I'll be here."],
  [/\bwho are you\b|\byour name\b|\bare you (?:a )?(?:bot|real|human|ai)\b/, ABOUT],
  [
    /\bhello\b|\bhi\b|\bhey\b|\bgood (?:morning|afternoon|evening|day)\b|\bmorning\b/,
    `Hello! I'm the assistant behind this bot. All the platforms here connect to *me*.

Send **help** for ideas, or **table** to see one.`,
  ],
]

const CHINESE: Replies = [
  [
    /帮助|帮忙|能做什么|会什么|怎么用|菜单|^[??]+$/u,
    `你可以发送：

- **流式**：一条较长的回复，边生成边显示
- **表格**：一个简单的表格
- **代码**：一段代码
- **计划**：一份三步计划

然后切断网络，再发一条消息。网络恢复后我会回复，*而且只回复一次*。`,
  ],
  [
    /流式|长一点|详细|故事|介绍/u,
    `**一条回复是怎样送达的**

1. 平台推送你的消息。
2. Gatepost *先保存消息*，再向平台确认。
3. 助手开始逐字生成回复，就像现在这样。
4. 只要平台支持，你就能看到回复实时更新。

如果中途断线怎么办？收到的消息都会得到回复，不会丢失，也不会重复。`,
  ],
  [
    /表格|数字|数据|统计/u,
    `今天下午的泊位：

| 泊位 | 船名 | 离港 |
|---|---|---|
| 4 | 海鸥号 | 14:30 |
| 7 | 燕鸥号 | 16:10 |
| 9 | 空闲 | |`,
  ],
  [
    /代码|脚本|命令/u,
    `在终端里发送通知，只需要一行命令：

\`\`\`sh
npx gatepost send telegram "构建完成。"
\`\`\`

也可以用访问令牌通过 HTTP 发送。`,
  ],
  [
    /计划|步骤|清单|列表|待办/u,
    `**14:30** 之前要完成三件事：

1. 燃油：已加注 *420 / 600* 升
2. 文件：船员名单还缺一人
3. 天气：中午转**西北风**`,
  ],
  [/还在|在吗|回来|有人/u, '我在。断线期间你发送的消息**都没有丢失**。'],
  [/谢|不错|很好|厉害/u, '不客气！可以试试发送**表格**，或者切断我的网络。'],
  [/再见|晚安|拜拜/u, '再见！有需要随时找我。'],
  [/你是谁|叫什么|机器人/u, '我是这个演示内置的小助手：*无需联网，无需账号*。接入你自己的模型后，就由**它**来回复。'],
  [
    /你好|您好|早上好|下午好|晚上好|嗨|哈喽/u,
    '你好！我是这个机器人的助手，这里的所有平台都由*我*来回复。发送**帮助**，看看我能做什么。',
  ],
]

const QUOTE_LIMIT = 120

/**
 * Returns the reply of the demo's emulated model, which shows off Markdown, in the language of the user's messages.
 * @returns Pieces of about one word each.
 */
export function demoReply(request: ChatModelRequest): readonly string[] {
  const text = lastUserText(request)
  const question = text.trim().toLowerCase()
  const isChinese = /\p{Script=Han}/u.test(question === '' ? userTexts(request).join(' ') : question)
  const [, known] = (isChinese ? CHINESE : ENGLISH).find(([pattern]) => pattern.test(question)) ?? []
  return splitPieces(known ?? (isChinese ? chineseEcho : englishEcho)(toQuote(text)))
}

const toQuote = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const letters = Array.from(line)
  return letters.length > QUOTE_LIMIT ? `${letters.slice(0, QUOTE_LIMIT).join('')}…` : line
}

const englishEcho = (quote: string): string =>
  quote === ''
    ? "I got your file. I can't look inside it in this demo, but it arrived **intact**."
    : `You said: ${quote}

I'm only a demo. Send **help** to see what I can do.`

const chineseEcho = (quote: string): string =>
  quote === ''
    ? '文件已收到。演示助手无法查看内容，但文件**完整无损**。'
    : `你说的是：${quote}

我只是演示用的助手。发送**帮助**，看看我能做什么。`

/** Splits a text into words with the spaces after them, or pairs of Chinese characters. */
const splitPieces = (text: string): readonly string[] =>
  text.match(/\p{Script=Han}{1,2}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []
