import { type ChatModelRequest, lastWords } from './emulator.ts'

/** A text that is answered, in lower case, and the answer in Markdown. The first that fits counts. */
type Answers = readonly (readonly [asked: RegExp, answer: string])[]

const WHO = `A small assistant that lives in this demo: *no internet, no account, no model*.

Connect one of your own and **it** answers here instead.`

const ENGLISH: Answers = [
  [
    /\b(?:help|what can|commands?|menu)\b|^\?+$/,
    `Here is what you can try with me:

- **stream** — a longer answer that grows while you read
- **table** — a few figures, side by side
- **code** — a snippet in a block
- **list** — a plan in three steps

Then cut the network and write something. I answer *when it is back*, and only once.`,
  ],
  [
    /\bstream|\blong(?:er)?\b|\bstory\b/,
    `**How an answer gets here**

1. The platform hands over your message.
2. Gatepost writes it down *before* it says thank you.
3. The assistant begins to write, word by word, like this.
4. You see it grow, as far as the platform allows.

And if the line breaks in the middle of a sentence? Nothing is lost: what was received is answered, and no answer is shown twice.`,
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
    `A notification from a shell is one line:

\`\`\`sh
npx gatepost send telegram "The build is done."
\`\`\`

The same works over HTTP, with a token of its own.`,
  ],
  [
    /\blists?\b|\bplans?\b|\bsteps?\b|\btodo\b/,
    `Three things before **14:30**:

1. Fuel: *420 of 600* litres are in
2. Papers: the crew list lacks one name
3. Weather: the wind turns **north-west** at noon`,
  ],
  [
    /\bare you (?:still )?there\b|\bback\b|\bstill\b|\banybody\b/,
    'Yes, I am here. Whatever you wrote while the line was down has **not been lost**.',
  ],
  [/\bthank|\bthx\b|\bgreat\b|\bcool\b|\bnice\b/, 'You are welcome! Ask for a **table**, or cut my network next.'],
  [/\bbye\b|\bgood ?night\b/, 'Goodbye! I keep listening here.'],
  [/\bwho are you\b|\byour name\b|\bare you (?:a )?(?:bot|real|human|ai)\b/, WHO],
  [
    /\bhello\b|\bhi\b|\bhey\b|\bgood (?:morning|afternoon|evening|day)\b|\bmorning\b/,
    `Hello! I am the assistant behind this bot, and every platform you see leads to *me*.

Say **help** for ideas, or ask for a **table**.`,
  ],
]

const CHINESE: Answers = [
  [
    /帮助|帮忙|能做什么|会什么|怎么用|菜单|^[??]+$/u,
    `可以这样试试：

- **流式** —— 边写边显示的长回答
- **表格** —— 几行数字
- **代码** —— 一段代码
- **计划** —— 分三步

然后切断网络再发一条消息：网络恢复后我会回答，*而且只回答一次*。`,
  ],
  [
    /流式|长一点|详细|故事|介绍/u,
    `**一条回答是怎样到这里的**

1. 平台把你的消息交过来。
2. Gatepost *先存下来*，再向平台确认。
3. 助手开始一个字一个字地写。
4. 只要平台允许，你就能看着它变长。

中途断线怎么办？收到的都会回答，不会丢，也不会重复。`,
  ],
  [
    /表格|数字|数据|统计/u,
    `今天下午的泊位：

| 泊位 | 船 | 到 |
|---|---|---|
| 4 | 海鸥号 | 14:30 |
| 7 | 燕鸥号 | 16:10 |
| 9 | 空闲 | |`,
  ],
  [
    /代码|脚本|命令/u,
    `在终端里发通知只要一行：

\`\`\`sh
npx gatepost send telegram "构建完成。"
\`\`\`

也可以通过 HTTP 发送。`,
  ],
  [
    /计划|步骤|清单|列表|待办/u,
    `**14:30** 之前有三件事：

1. 燃油：已加 *420 / 600* 升
2. 文件：船员名单还缺一个人
3. 天气：中午转 **西北风**`,
  ],
  [/还在|在吗|回来|有人/u, '在的。断线期间你写的内容**没有丢**。'],
  [/谢|不错|很好|厉害/u, '不客气！试试**表格**，或者切断我的网络。'],
  [/再见|晚安|拜拜/u, '再见！我会一直在这里。'],
  [/你是谁|叫什么|机器人/u, '我是这个演示里的小助手：*不联网、不用账号*。接上你自己的模型，回答的就是**它**。'],
  [/你好|您好|早上好|下午好|晚上好|嗨|哈喽/u, '你好！这里的每个平台都连着*同一个*助手。发送 **帮助** 看看可以做什么。'],
]

const QUOTED_MAX = 120

/**
 * What the model of a demo says to a visitor: something that shows Markdown, in the language of what was asked.
 * @returns Pieces, about a word each.
 */
export function visitorAnswer(request: ChatModelRequest): readonly string[] {
  const asked = lastWords(request)
  const words = asked.trim().toLowerCase()
  const isChinese = /\p{Script=Han}/u.test(words)
  const [, known] = (isChinese ? CHINESE : ENGLISH).find(([pattern]) => pattern.test(words)) ?? []
  return piecesOf(known ?? (isChinese ? echoChinese : echoEnglish)(quoted(asked)))
}

const quoted = (asked: string): string => {
  const line = asked.trim().replaceAll(/\s+/g, ' ')
  const letters = Array.from(line)
  return letters.length > QUOTED_MAX ? `${letters.slice(0, QUOTED_MAX).join('')}…` : line
}

const echoEnglish = (said: string): string =>
  said === ''
    ? 'I got your file. I cannot look inside in this demo, but it arrived **whole**.'
    : `You said: ${said}

I am a demo and know little. Say **help**, and I show what I can do.`

const echoChinese = (said: string): string => `你说的是：${said}

我只是演示用的助手。发送 **帮助** 看看我会什么。`

/** A word and what follows it; two letters where words are not divided. */
const piecesOf = (text: string): readonly string[] =>
  text.match(/\p{Script=Han}{1,2}|[^\s\p{Script=Han}]+\s*|\s+/gu) ?? []
