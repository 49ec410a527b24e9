import type { DrawingName } from './drawings.tsx'
import type { SetupKind } from './setup-run.ts'
import type { Language } from '../../../language/language.ts'
import type { Platform } from '../../../parts/platform.tsx'

type InEachLanguage = Readonly<Record<Language, string>>

/** One step on the platform. */
export interface Step {
  readonly words: InEachLanguage
  /** Shows where to click. */
  readonly drawing?: DrawingName
  /** The page to open. */
  readonly link?: { readonly url: string; readonly label: InEachLanguage }
  /** Shows the scopes to copy. */
  readonly scopes?: true
}

/** The instructions of a setup method. */
export interface MethodInstructions {
  readonly title: InEachLanguage
  /** When to choose it. */
  readonly hint: InEachLanguage
  readonly steps: readonly Step[]
}

const inEach = (en: string, zh: string): InEachLanguage => ({ en, zh })
const step = (en: string, zh: string, more: Omit<Step, 'words'> = {}): Step => ({ words: inEach(en, zh), ...more })
const page = (url: string, en: string, zh: string): Pick<Step, 'link'> => ({ link: { url, label: inEach(en, zh) } })

const SCAN = inEach('The quickest way. You need your phone.', '最快捷，需要使用手机。')
const EXISTING = inEach(
  'For an existing app, or one created by an administrator.',
  '适用于已有应用，或由管理员创建的应用。',
)

/** By platform and kind. For anything missing here, the service's own instructions are shown. */
export const INSTRUCTIONS: Readonly<Partial<Record<`${Platform}.${SetupKind}`, MethodInstructions>>> = {
  'telegram.paste': {
    title: inEach('Paste a bot token', '粘贴 Bot Token'),
    hint: inEach('Takes one minute in Telegram.', '在 Telegram 中约一分钟完成。'),
    steps: [
      step(
        'Open BotFather in Telegram and send /newbot. If you already have a bot, send /mybots, choose it, then "API Token".',
        '在 Telegram 中打开 BotFather，发送 /newbot。如已有机器人，发送 /mybots 并选择该机器人，再点击“API Token”。',
        { drawing: 'telegram_new', ...page('https://t.me/BotFather', 'Open BotFather', '打开 BotFather') },
      ),
      step('Choose a name, then a username that ends in "bot".', '依次设置名称和以“bot”结尾的用户名。'),
      step("Copy the token from BotFather's reply and paste it here.", '复制 BotFather 回复的 Token，粘贴到此处。', {
        drawing: 'telegram_token',
      }),
    ],
  },
  'weixin.qr': {
    title: inEach('Scan a QR code with Weixin', '微信扫码'),
    hint: SCAN,
    steps: [
      step('Scan the QR code with the Weixin account to use as the bot.', '使用要作为机器人的微信号扫描二维码。'),
      step('Confirm on your phone. If it shows a number, enter it here.', '在手机上确认。如手机显示数字，请在此输入。'),
    ],
  },
  'feishu.qr': {
    title: inEach('Scan a QR code', '扫码创建'),
    hint: SCAN,
    steps: [
      step(
        "Scan the QR code with the Feishu or Lark app, or open the link in a browser where you're signed in.",
        '使用飞书扫描二维码，或在已登录飞书的浏览器中打开链接。',
      ),
      step(
        'Confirm the new app. The bot, permissions, and connection are configured automatically.',
        '确认创建应用，机器人、权限和长连接会自动配置。',
      ),
    ],
  },
  'feishu.paste': {
    title: inEach('App ID and App Secret', '填写 App ID 和 App Secret'),
    hint: EXISTING,
    steps: [
      step('In the developer console, create a custom app.', '在开发者后台创建企业自建应用。', {
        ...page('https://open.feishu.cn/app', 'Open the developer console', '打开开发者后台'),
      }),
      step('Under "Add features", add the bot.', '在“添加应用能力”中添加机器人。'),
      step(
        'Under "Permissions & Scopes", choose "Batch import" and paste this.',
        '在“权限管理”中选择“批量导入”，粘贴以下内容。',
        { scopes: true },
      ),
      step(
        'Under "Credentials & Basic Info", copy the App ID and App Secret and paste them here.',
        '在“凭证与基础信息”中复制 App ID 和 App Secret，粘贴到此处。',
      ),
      step(
        'Once the channel is running: under "Events & Callbacks", choose "Receive events through persistent connection" and add the event im.message.receive_v1. Feishu only saves this while the channel is connected.',
        '渠道运行后：在“事件与回调”中选择“使用长连接接收事件”，并添加事件 im.message.receive_v1。仅在渠道已连接时才能保存。',
      ),
      step(
        'Under "Version Management & Release", create a version and publish it. An administrator may need to approve it.',
        '在“版本管理与发布”中创建版本并发布，可能需要管理员审核。',
      ),
    ],
  },
  'dingtalk.qr': {
    title: inEach('Scan a QR code with DingTalk', '钉钉扫码'),
    hint: SCAN,
    steps: [
      step('Scan the QR code with DingTalk.', '使用钉钉扫描二维码。'),
      step('Choose your organization and tap "create new robot".', '选择机器人所属的组织，点击“创建新机器人”。'),
      step('The new robot can take up to a minute to connect.', '新机器人最多需要一分钟才能连接，请稍候。'),
    ],
  },
  'dingtalk.paste': {
    title: inEach('Client ID and Client Secret', '填写 Client ID 和 Client Secret'),
    hint: EXISTING,
    steps: [
      step('In the developer console, create an internal app.', '在开发者后台创建企业内部应用。', {
        ...page('https://open-dev.dingtalk.com', 'Open the developer console', '打开开发者后台'),
      }),
      step(
        'Add the "robot" capability and set its message mode to "Stream".',
        '添加“机器人”能力，消息接收模式选择“Stream 模式”。',
      ),
      step(
        'Grant the app the permission qyapi_robot_sendmsg. For streaming replies, also grant Card.Instance.Write and Card.Streaming.Write.',
        '为应用开通 qyapi_robot_sendmsg 权限；如需流式回复，还需开通 Card.Instance.Write 和 Card.Streaming.Write。',
      ),
      step(
        'Publish a version that is visible to everyone who should use the robot.',
        '发布版本，可见范围需包含所有使用机器人的成员。',
      ),
      step(
        'Copy the Client ID and Client Secret from "Credentials and basic information" and paste them here.',
        '在“凭证与基础信息”页面复制 Client ID 和 Client Secret，粘贴到此处。',
      ),
    ],
  },
  'discord.portal': {
    title: inEach('Create a bot in the developer portal', '在开发者后台创建机器人'),
    hint: inEach(
      'Takes three minutes. Then invite the bot to your server.',
      '约三分钟，完成后邀请机器人加入您的服务器。',
    ),
    steps: [
      step(
        'In the developer portal, choose "New Application" and enter a name.',
        '在开发者后台点击“New Application”并命名。',
        {
          drawing: 'discord_new',
          ...page('https://discord.com/developers/applications', 'Open the developer portal', '打开开发者后台'),
        },
      ),
      step('Open "Bot" and enable MESSAGE CONTENT INTENT.', '打开“Bot”页面，开启 MESSAGE CONTENT INTENT。', {
        drawing: 'discord_intent',
      }),
      step(
        'On the same page, choose "Reset Token", copy the token, and paste it here.',
        '在同一页面点击“Reset Token”，复制 Token 并粘贴到此处。',
        {
          drawing: 'discord_token',
        },
      ),
      step(
        'Open the invite link that appears here and add the bot to a server.',
        '打开此处显示的邀请链接，将机器人添加到服务器。',
        {
          drawing: 'discord_invite',
        },
      ),
    ],
  },
  'discord.invite': {
    title: inEach('Invite the connected bot', '邀请已连接的机器人'),
    hint: inEach('Adds the bot to another server.', '将机器人添加到其他服务器。'),
    steps: [
      step(
        'Open the invite link and choose a server. You need permission to manage it.',
        '打开邀请链接并选择服务器，您需要拥有该服务器的管理权限。',
        {
          drawing: 'discord_invite',
        },
      ),
    ],
  },
  'wecom.paste': {
    title: inEach('Create a smart bot in the admin console', '在管理后台创建智能机器人'),
    hint: inEach('Works for every company. You need administrator access.', '适用于所有企业，需要管理员权限。'),
    steps: [
      step(
        'Open the admin console and sign in as an administrator of your company.',
        '打开管理后台，使用企业管理员身份登录。',
        {
          ...page(
            'https://work.weixin.qq.com/wework_admin/frame#/aiHelper/create',
            'Open the admin console',
            '打开管理后台',
          ),
        },
      ),
      step('Choose API mode, the panel at the lower right.', '选择右下角的“API 模式创建”。', {
        drawing: 'wecom_api',
      }),
      step('Set the connection type to "long connection".', '连接方式选择“使用长连接”。', { drawing: 'wecom_long' }),
      step(
        'Set the visible range to the top of the company so that everyone can find the bot.',
        '可见范围选择企业最顶层，以便所有成员都能找到机器人。',
        {
          drawing: 'wecom_range',
        },
      ),
      step(
        'Choose "Get Secret", then copy the Bot ID and Secret and paste them here before you save.',
        '点击“获取 Secret”，保存前先复制 Bot ID 和 Secret 并粘贴到此处。',
        {
          drawing: 'wecom_secret',
        },
      ),
      step('Save, name the bot, confirm, and save again.', '保存，为机器人命名并确认，然后再次保存。', {
        drawing: 'wecom_save',
      }),
    ],
  },
  'wecom.qr': {
    title: inEach('Create a smart bot with a QR code', '扫码创建智能机器人'),
    hint: inEach('Quick, but not available to every company.', '更快捷，但并非对所有企业开放。'),
    steps: [
      step('Scan the QR code with WeCom on your phone.', '使用手机企业微信扫描二维码。'),
      step('Confirm the new bot on your phone.', '在手机上确认创建机器人。'),
    ],
  },
}

/** How to find and message the bot. */
export const FIND_THE_BOT: Readonly<Record<Platform, InEachLanguage>> = {
  telegram: inEach(
    'Open the bot in Telegram, tap Start, and send a message.',
    '在 Telegram 中打开机器人，点击 Start，然后发一条消息。',
  ),
  weixin: inEach('Open the bot in Weixin and send a message.', '在微信中打开机器人，发一条消息。'),
  feishu: inEach('Search for the bot by name in Feishu and send it a message.', '在飞书中搜索机器人名称，发一条消息。'),
  dingtalk: inEach(
    'Search for the robot in DingTalk and send it a message, or mention it in a group.',
    '在钉钉中搜索机器人并发一条消息，或在群里 @ 它。',
  ),
  discord: inEach('Mention the bot in a server, or send it a direct message.', '在服务器中 @ 机器人，或给它发私信。'),
  wecom: inEach(
    'In WeCom, find the bot under Contacts > Smart Bot and send it a message.',
    '在企业微信“通讯录 → 智能机器人”中找到它，发一条消息。',
  ),
}

/** Returns the scopes named in the service's instructions. */
export const extractScopes = (instructions: readonly string[]): readonly string[] => [
  ...new Set(
    instructions
      .flatMap((line) => line.match(/\b(?:im|cardkit|contact)(?:[:.][\w.]+)+/g) ?? [])
      .filter((scope) => scope.includes(':')),
  ),
]
