import type { ReactNode } from 'react'
import style from './drawings.module.css'
import { defineTexts, useTexts } from '../../../language/language.ts'

/** Alternative texts of the drawings. */
const drawingTexts = defineTexts({
  en: {
    telegram_new: 'A chat with BotFather, with the message /newbot being sent.',
    telegram_token: "BotFather's reply with the bot token highlighted: digits, a colon, and letters.",
    discord_new: 'The list of applications with the "New Application" button at the upper right highlighted.',
    discord_intent: 'The "Bot" page with "Message Content Intent" enabled.',
    discord_token: 'The "Bot" page with the "Reset Token" button highlighted.',
    discord_invite: 'The invite page with a server selected and the "Authorize" button highlighted.',
    wecom_api: 'The page for creating a bot with the API mode panel at the lower right highlighted.',
    wecom_long: 'The connection types with "long connection" selected.',
    wecom_range: 'The visible range with the top of the company tree checked.',
    wecom_secret: 'The Bot ID and Secret fields with the "Get Secret" button highlighted.',
    wecom_save: "The bot's name and the Save button, which is highlighted.",
  },
  zh: {
    telegram_new: '与 BotFather 的聊天，正在发送 /newbot。',
    telegram_token: 'BotFather 的回复，其中的 Bot Token（数字、冒号和字母）已标出。',
    discord_new: '应用列表，右上角的“New Application”按钮已标出。',
    discord_intent: '“Bot”页面，“Message Content Intent”开关已打开。',
    discord_token: '“Bot”页面，“Reset Token”按钮已标出。',
    discord_invite: '邀请页面，已选择服务器，授权按钮已标出。',
    wecom_api: '创建机器人页面，右下角的“API 模式”面板已标出。',
    wecom_long: '连接方式，已选中“使用长连接”。',
    wecom_range: '可见范围，已勾选企业最顶层。',
    wecom_secret: 'Bot ID 和 Secret 字段，“获取 Secret”按钮已标出。',
    wecom_save: '机器人名称，保存按钮已标出。',
  },
})

/** The names of the drawings. */
export type DrawingName = keyof (typeof drawingTexts)['en']

/** A drawing of where to click on a platform's page. */
export function Drawing({ name }: { readonly name: DrawingName }): ReactNode {
  const texts = useTexts(drawingTexts)
  return (
    <svg className={style['drawing']} viewBox="0 0 240 132" role="img" aria-label={texts[name]}>
      <rect className={style['page']} x="0.5" y="0.5" width="239" height="131" rx="8" />
      <path className={style['rule']} d="M0 15h240" />
      <circle className={style['dot']} cx="9" cy="8" r="2.2" />
      <circle className={style['dot']} cx="17" cy="8" r="2.2" />
      <circle className={style['dot']} cx="25" cy="8" r="2.2" />
      {PICTURES[name]()}
    </svg>
  )
}

interface Box {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h?: number
}

/** A placeholder for a line of text. */
const Line = ({ x, y, w, strong }: Box & { readonly strong?: boolean }): ReactNode => (
  <rect className={strong ? style['strong'] : style['line']} x={x} y={y} width={w} height={strong ? 5 : 4} rx="2" />
)

const Panel = ({ x, y, w, h = 30 }: Box): ReactNode => (
  <rect className={style['panel']} x={x} y={y} width={w} height={h} rx="5" />
)

/** A button. `here` highlights it. */
const Push = ({
  x,
  y,
  w,
  h = 18,
  here = false,
  label,
}: Box & { readonly here?: boolean; readonly label: string }): ReactNode => (
  <>
    <rect className={here ? style['here'] : style['panel']} x={x} y={y} width={w} height={h} rx="5" />
    <text className={here ? style['hereWord'] : style['word']} x={x + w / 2} y={y + h / 2 + 2.8} textAnchor="middle">
      {label}
    </text>
  </>
)

const Word = ({ x, y, label }: { readonly x: number; readonly y: number; readonly label: string }): ReactNode => (
  <text className={style['word']} x={x} y={y}>
    {label}
  </text>
)

/** Highlights an area. */
const Ring = ({ x, y, w, h = 30 }: Box): ReactNode => (
  <rect className={style['ring']} x={x} y={y} width={w} height={h} rx="7" />
)

const Pointer = ({ x, y }: { readonly x: number; readonly y: number }): ReactNode => (
  <path
    className={style['pointer']}
    transform={`translate(${x} ${y})`}
    d="M0 0l0 14 4-3.500 2.800 5.500 2.600-1.300-2.800-5.400h5.400z"
  />
)

/** The side menu of Discord's developer portal with "Bot" selected. */
const Portal = (): ReactNode => (
  <>
    <path className={style['rule']} d="M62 15v117" />
    <Line x={10} y={26} w={34} />
    <Line x={10} y={40} w={40} />
    <rect className={style['chosen']} x="5" y="51" width="52" height="16" rx="4" />
    <text className={style['chosenWord']} x="12" y="62">
      Bot
    </text>
    <Line x={10} y={76} w={30} />
    <Line x={10} y={90} w={38} />
  </>
)

const PICTURES: Readonly<Record<DrawingName, () => ReactNode>> = {
  telegram_new: () => (
    <>
      <Word x={12} y={30} label="BotFather" />
      <Panel x={12} y={40} w={110} h={26} />
      <Line x={20} y={47} w={86} />
      <Line x={20} y={55} w={60} />
      <Push x={162} y={72} w={62} h={20} label="/newbot" here />
      <Panel x={12} y={106} w={180} h={18} />
      <Word x={20} y={118} label="/newbot" />
      <path className={style['send']} d="M204 115l20-8-7 18-4-7z" />
    </>
  ),
  telegram_token: () => (
    <>
      <Word x={12} y={30} label="BotFather" />
      <Panel x={12} y={38} w={190} h={84} />
      <Line x={22} y={48} w={150} />
      <Line x={22} y={58} w={120} />
      <Line x={22} y={68} w={138} />
      <Word x={22} y={94} label="123456789:AAF3x…" />
      <Ring x={17} y={81} w={122} h={20} />
      <Line x={22} y={108} w={96} />
    </>
  ),
  discord_new: () => (
    <>
      <Line x={14} y={28} w={60} strong />
      <Push x={138} y={22} w={90} label="New Application" here />
      <Panel x={14} y={54} w={62} h={62} />
      <Panel x={88} y={54} w={62} h={62} />
      <Panel x={162} y={54} w={62} h={62} />
      <Pointer x={206} y={34} />
    </>
  ),
  discord_intent: () => (
    <>
      <Portal />
      <Line x={74} y={28} w={70} strong />
      <Panel x={72} y={44} w={158} h={32} />
      <Line x={80} y={52} w={70} />
      <Line x={80} y={62} w={94} />
      <rect className={style['off']} x="200" y="54" width="22" height="12" rx="6" />
      <Panel x={72} y={84} w={158} h={38} />
      <Word x={80} y={100} label="MESSAGE CONTENT" />
      <Line x={80} y={108} w={94} />
      <rect className={style['here']} x="200" y="96" width="22" height="12" rx="6" />
      <circle className={style['knob']} cx="216" cy="102" r="4.200" />
      <Ring x={194} y={91} w={34} h={22} />
    </>
  ),
  discord_token: () => (
    <>
      <Portal />
      <Line x={74} y={28} w={70} strong />
      <circle className={style['line']} cx="92" cy="70" r="16" />
      <Word x={122} y={58} label="Token" />
      <Panel x={120} y={64} w={108} h={18} />
      <Line x={127} y={71} w={86} />
      <Push x={120} y={94} w={66} label="Reset Token" here />
      <Push x={192} y={94} w={36} label="Copy" />
      <Pointer x={170} y={106} />
    </>
  ),
  discord_invite: () => (
    <>
      <Panel x={50} y={24} w={140} h={100} />
      <circle className={style['chosen']} cx="106" cy="42" r="10" />
      <circle className={style['line']} cx="134" cy="42" r="10" />
      <Line x={62} y={60} w={56} />
      <rect className={style['page']} x="62" y="68" width="116" height="18" rx="4" />
      <Line x={69} y={75} w={60} />
      <path className={style['mark']} d="M164 75l4 4 4-4" />
      <Push x={112} y={98} w={66} label="Authorize" here />
      <Pointer x={160} y={110} />
    </>
  ),
  wecom_api: () => (
    <>
      <Line x={14} y={26} w={80} strong />
      <Panel x={14} y={42} w={100} h={36} />
      <Line x={24} y={56} w={60} />
      <Panel x={126} y={42} w={100} h={36} />
      <Line x={136} y={56} w={60} />
      <Panel x={14} y={86} w={100} h={36} />
      <Line x={24} y={100} w={60} />
      <Push x={126} y={86} w={100} h={36} label="API" here />
      <Pointer x={204} y={106} />
    </>
  ),
  wecom_long: () => (
    <>
      <Line x={14} y={28} w={80} strong />
      <circle className={style['radio']} cx="24" cy="58" r="6" />
      <Line x={40} y={56} w={90} />
      <circle className={style['radioOn']} cx="24" cy="88" r="6" />
      <circle className={style['knob']} cx="24" cy="88" r="2.600" />
      <Word x={40} y={91} label="长连接  long connection" />
      <Ring x={12} y={76} w={156} h={24} />
      <Pointer x={150} y={92} />
    </>
  ),
  wecom_range: () => (
    <>
      <Line x={14} y={26} w={70} strong />
      <rect className={style['here']} x="18" y="42" width="12" height="12" rx="3" />
      <path className={style['tick']} d="M21 48l2.500 2.500 4.500-5" />
      <Line x={38} y={46} w={100} strong />
      <Ring x={12} y={37} w={140} h={22} />
      <path className={style['mark']} d="M30 60v50M30 74h12M30 92h12M30 110h12" />
      <Line x={50} y={72} w={80} />
      <Line x={50} y={90} w={64} />
      <Line x={50} y={108} w={72} />
    </>
  ),
  wecom_secret: () => (
    <>
      <Line x={14} y={28} w={60} strong />
      <Push x={134} y={22} w={92} label="获取 Secret" here />
      <Word x={14} y={66} label="Bot ID" />
      <Panel x={62} y={54} w={110} h={18} />
      <Word x={70} y={66} label="aib…" />
      <Push x={180} y={54} w={46} label="复制" />
      <Word x={14} y={98} label="Secret" />
      <Panel x={62} y={86} w={110} h={18} />
      <Line x={70} y={93} w={70} />
      <Push x={180} y={86} w={46} label="复制" />
      <Pointer x={206} y={34} />
    </>
  ),
  wecom_save: () => (
    <>
      <circle className={style['chosen']} cx="36" cy="50" r="16" />
      <Panel x={64} y={40} w={150} h={20} />
      <Line x={72} y={48} w={60} strong />
      <Line x={20} y={82} w={120} />
      <Push x={20} y={98} w={60} h={20} label="保存" here />
      <Pointer x={62} y={112} />
    </>
  ),
}
