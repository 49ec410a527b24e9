import type { DrawingName } from './drawings.tsx'
import type { SetupKind } from './setup-run.ts'
import type { Language } from '../../../language/language.ts'
import type { Platform } from '../../../parts/platform.tsx'

type InBoth = Readonly<Record<Language, string>>

/** One thing to do on the platform. */
export interface Step {
  readonly words: InBoth
  /** Shows where to click. */
  readonly drawing?: DrawingName
  /** The page on which it is done. */
  readonly link?: { readonly url: string; readonly label: InBoth }
  /** The scopes that the service names are to be copied here. */
  readonly scopes?: true
}

/** One way to set a platform up, in words. */
export interface WayWords {
  readonly title: InBoth
  /** When to choose it. */
  readonly hint: InBoth
  readonly steps: readonly Step[]
}

const both = (en: string, zh: string): InBoth => ({ en, zh })
const step = (en: string, zh: string, more: Omit<Step, 'words'> = {}): Step => ({ words: both(en, zh), ...more })
const page = (url: string, en: string, zh: string): Pick<Step, 'link'> => ({ link: { url, label: both(en, zh) } })

const SCAN = both('The quickest way. Needs the phone.', '最快的方式，需要手机。')
const EXISTING = both('For an app that exists, or is made by an administrator.', '适用于已有的或由管理员创建的应用。')

/** By platform and kind. What is not here is told in the service's own words. */
export const WAYS: Readonly<Partial<Record<`${Platform}.${SetupKind}`, WayWords>>> = {
  'telegram.paste': {
    title: both('Paste a bot token', '粘贴 Bot Token'),
    hint: both('One minute, in Telegram itself.', '在 Telegram 里一分钟即可完成。'),
    steps: [
      step(
        'Open BotFather in Telegram and send /newbot. You have a bot already? Send /mybots, choose it, then “API Token”.',
        '在 Telegram 中打开 BotFather，发送 /newbot。已有机器人？发送 /mybots，选择它，再点 “API Token”。',
        { drawing: 'telegram_new', ...page('https://t.me/BotFather', 'Open BotFather', '打开 BotFather') },
      ),
      step('Choose a name, then a user name that ends in “bot”.', '先取一个名称，再取一个以 “bot” 结尾的用户名。'),
      step(
        'Copy the token that BotFather answers with, and paste it here.',
        '复制 BotFather 回复的 Token，粘贴到这里。',
        {
          drawing: 'telegram_token',
        },
      ),
    ],
  },
  'weixin.qr': {
    title: both('Scan a code with Weixin', '用微信扫码'),
    hint: SCAN,
    steps: [
      step(
        'Scan the code with the Weixin account that is to become reachable as a bot.',
        '用要作为机器人的微信号扫描二维码。',
      ),
      step(
        'Confirm on the phone. If it shows a number, type it here.',
        '在手机上确认。如果手机显示一组数字，请在这里输入。',
      ),
    ],
  },
  'feishu.qr': {
    title: both('Scan a code', '扫码创建'),
    hint: SCAN,
    steps: [
      step(
        'Scan the code with the Feishu or Lark app, or open its address in a browser where you are logged in.',
        '用飞书扫描二维码，或在已登录飞书的浏览器中打开链接。',
      ),
      step(
        'Confirm the new app. It has its bot, its permissions and the connection from the start.',
        '确认创建应用。机器人、权限和长连接都会自动配置好。',
      ),
    ],
  },
  'feishu.paste': {
    title: both('App ID and App Secret', '填写 App ID 和 App Secret'),
    hint: EXISTING,
    steps: [
      step('In the developer console create a custom app.', '在开发者后台创建企业自建应用。', {
        ...page('https://open.feishu.cn/app', 'Open the developer console', '打开开发者后台'),
      }),
      step('Under “Add features” add the bot.', '在“添加应用能力”中添加机器人。'),
      step(
        'Under “Permissions & Scopes” choose “Batch import” and paste this.',
        '在“权限管理”中选择“批量导入”，粘贴以下内容。',
        { scopes: true },
      ),
      step(
        'Under “Credentials & Basic Info” copy App ID and App Secret, and paste them here.',
        '在“凭证与基础信息”中复制 App ID 和 App Secret，粘贴到这里。',
      ),
      step(
        'When the channel runs: under “Events & Callbacks” choose “Receive events through persistent connection” and add the event im.message.receive_v1. It can only be saved while the channel is connected.',
        '渠道运行后：在“事件与回调”中选择“使用长连接接收事件”，并添加事件 im.message.receive_v1。只有渠道已连接时才能保存。',
      ),
      step(
        'Under “Version Management & Release” create a version and publish it. An administrator may have to approve it.',
        '在“版本管理与发布”中创建版本并发布，可能需要管理员审核。',
      ),
    ],
  },
  'dingtalk.qr': {
    title: both('Scan a code with DingTalk', '用钉钉扫码'),
    hint: SCAN,
    steps: [
      step('Scan the code with DingTalk.', '用钉钉扫描二维码。'),
      step(
        'Choose the organisation that the robot is for, and tap “create new robot”.',
        '选择机器人所属的组织，点击“创建新机器人”。',
      ),
      step('It takes up to a minute until the new robot may connect.', '新机器人最多需要一分钟才能连接，请稍候。'),
    ],
  },
  'dingtalk.paste': {
    title: both('Client ID and Client Secret', '填写 Client ID 和 Client Secret'),
    hint: EXISTING,
    steps: [
      step('In the developer console create an internal app.', '在开发者后台创建企业内部应用。', {
        ...page('https://open-dev.dingtalk.com', 'Open the developer console', '打开开发者后台'),
      }),
      step(
        'Add the “robot” capability and choose “Stream” as its message mode.',
        '添加“机器人”能力，消息接收模式选择 “Stream 模式”。',
      ),
      step(
        'Give the app the permission qyapi_robot_sendmsg; for answers that grow while they are written also Card.Instance.Write and Card.Streaming.Write.',
        '为应用申请权限 qyapi_robot_sendmsg；如需边写边显示回复，还需 Card.Instance.Write 和 Card.Streaming.Write。',
      ),
      step(
        'Publish a version, visible to everybody who shall reach the robot.',
        '发布版本，可见范围包含所有需要使用机器人的人。',
      ),
      step(
        'Copy Client ID and Client Secret from “Credentials and basic information”, and paste them here.',
        '在“凭证与基础信息”页面复制 Client ID 和 Client Secret，粘贴到这里。',
      ),
    ],
  },
  'discord.portal': {
    title: both('Create a bot in the developer portal', '在开发者后台创建机器人'),
    hint: both('Three minutes, then invite it to your server.', '约三分钟，然后邀请它加入您的服务器。'),
    steps: [
      step(
        'In the developer portal choose “New Application” and give it a name.',
        '在开发者后台点击 “New Application” 并命名。',
        {
          drawing: 'discord_new',
          ...page('https://discord.com/developers/applications', 'Open the developer portal', '打开开发者后台'),
        },
      ),
      step('Open “Bot” and switch MESSAGE CONTENT INTENT on.', '打开 “Bot” 页面，开启 MESSAGE CONTENT INTENT。', {
        drawing: 'discord_intent',
      }),
      step(
        'On the same page choose “Reset Token”, copy the token and paste it here.',
        '在同一页面点击 “Reset Token”，复制 Token 并粘贴到这里。',
        {
          drawing: 'discord_token',
        },
      ),
      step(
        'Open the invitation that appears here then, and put the bot into a server.',
        '随后打开这里出现的邀请链接，把机器人加入服务器。',
        {
          drawing: 'discord_invite',
        },
      ),
    ],
  },
  'discord.invite': {
    title: both('Invite the connected bot', '邀请已连接的机器人'),
    hint: both('Puts the bot into another server.', '把机器人加入另一个服务器。'),
    steps: [
      step(
        'Open the invitation and choose a server. You need the right to manage it.',
        '打开邀请链接并选择服务器，您需要有管理该服务器的权限。',
        {
          drawing: 'discord_invite',
        },
      ),
    ],
  },
  'wecom.paste': {
    title: both('Create a smart bot in the admin console', '在管理后台创建智能机器人'),
    hint: both('Works in every company. Needs an administrator.', '适用于所有企业，需要管理员操作。'),
    steps: [
      step(
        'Open the admin console and log in as an administrator of your company.',
        '打开管理后台，以企业管理员身份登录。',
        {
          ...page(
            'https://work.weixin.qq.com/wework_admin/frame#/aiHelper/create',
            'Open the admin console',
            '打开管理后台',
          ),
        },
      ),
      step('Choose the creation in API mode: the panel at the lower right.', '选择右下角的“API 模式创建”。', {
        drawing: 'wecom_api',
      }),
      step('Choose the connection type “long connection”.', '连接方式选择“使用长连接”。', { drawing: 'wecom_long' }),
      step(
        'Set the visible range to the top of the company, so that everybody finds the bot.',
        '可见范围选择企业最顶层，让所有人都能找到机器人。',
        {
          drawing: 'wecom_range',
        },
      ),
      step(
        'Press “get Secret”, then copy Bot ID and Secret and paste them here, before you save.',
        '点击“获取 Secret”，在保存之前复制 Bot ID 和 Secret 并粘贴到这里。',
        {
          drawing: 'wecom_secret',
        },
      ),
      step('Save, give the bot a name, confirm, and save again.', '保存，为机器人命名并确认，再次保存。', {
        drawing: 'wecom_save',
      }),
    ],
  },
  'wecom.qr': {
    title: both('Create a smart bot by a code', '扫码创建智能机器人'),
    hint: both('Quick, but not offered to every company.', '快捷，但并非对所有企业开放。'),
    steps: [
      step('Scan the code with WeCom on your phone.', '用手机上的企业微信扫描二维码。'),
      step('Confirm there that the bot may be created.', '在手机上确认创建机器人。'),
    ],
  },
}

/** How to find the bot, to write to it. */
export const FIND_THE_BOT: Readonly<Record<Platform, InBoth>> = {
  telegram: both(
    'Open the bot in Telegram, press Start, and say something.',
    '在 Telegram 中打开机器人，点击 Start，然后发一条消息。',
  ),
  weixin: both('Open the bot in Weixin and say something.', '在微信中打开机器人，发一条消息。'),
  feishu: both('Search for the bot by its name in Feishu, and say something.', '在飞书中搜索机器人名称，发一条消息。'),
  dingtalk: both(
    'Search for the robot in DingTalk and say something, or mention it in a group.',
    '在钉钉中搜索机器人并发一条消息，或在群里 @ 它。',
  ),
  discord: both('Mention the bot in a server, or write to it privately.', '在服务器中 @ 机器人，或给它发私信。'),
  wecom: both(
    'Find the bot under Contacts, Smart Bot, in WeCom, and say something.',
    '在企业微信“通讯录 → 智能机器人”中找到它，发一条消息。',
  ),
}

/** The scopes that the service's own instruction names. */
export const scopesIn = (instructions: readonly string[]): readonly string[] => [
  ...new Set(
    instructions
      .flatMap((line) => line.match(/\b(?:im|cardkit|contact)(?:[:.][\w.]+)+/g) ?? [])
      .filter((scope) => scope.includes(':')),
  ),
]
