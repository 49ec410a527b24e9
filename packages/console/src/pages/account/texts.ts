import { defineTexts } from '../../language/language.ts'

/** Texts of the account page. */
export const accountTexts = defineTexts({
  en: {
    title: 'My account',
    lead: 'Your profile, how you sign in, and which apps have access.',
    sections: 'Account settings',
    section: {
      profile: 'Profile',
      emails: 'Email',
      password: 'Password',
      security: 'Two-factor authentication',
      sessions: 'Sessions',
      connections: 'Connected accounts',
      programs: 'Tokens and apps',
    },
    done: 'Done',
    cancel: 'Cancel',
    showMore: 'Show more',
  },
  zh: {
    title: '我的账号',
    lead: '管理个人资料、登录方式和已授权的应用。',
    sections: '账号设置',
    section: {
      profile: '个人资料',
      emails: '邮箱',
      password: '密码',
      security: '两步验证',
      sessions: '登录设备',
      connections: '关联账号',
      programs: '令牌与应用',
    },
    done: '完成',
    cancel: '取消',
    showMore: '显示更多',
  },
})
