import { defineTexts } from '../../language/texts.ts'

/** Words of the page of one's own account. */
export const accountTexts = defineTexts({
  en: {
    title: 'My account',
    lead: 'Who you are here, how you sign in, and what may act in your name.',
    sections: 'Parts of your account',
    section: {
      profile: 'Profile',
      emails: 'E-mail',
      password: 'Password',
      security: 'Passkeys and codes',
      sessions: 'Devices',
      connections: 'Connected accounts',
      programs: 'Tokens',
    },
    done: 'Done',
    cancel: 'Cancel',
    showMore: 'Show more',
  },
  zh: {
    title: '我的账号',
    lead: '您的身份、登录方式，以及哪些程序可以代表您操作。',
    sections: '账号设置',
    section: {
      profile: '个人资料',
      emails: '邮箱',
      password: '密码',
      security: '通行密钥与两步验证',
      sessions: '设备',
      connections: '关联账号',
      programs: '令牌',
    },
    done: '完成',
    cancel: '取消',
    showMore: '显示更多',
  },
})
