import { defineTexts } from '../../language/texts.ts'

/** Texts of all staff pages. */
export const staffTexts = defineTexts({
  en: {
    title: 'Staff',
    sections: 'Staff pages',
    tabs: { people: 'Accounts', socialApps: 'Social login', clients: 'OAuth clients', audit: 'Audit log' },
    actsOf: (name: string) => `Actions for ${name}`,
    cancel: 'Cancel',
    save: 'Save changes',
    required: 'Required.',
    notTaken: 'Not valid.',
    search: 'Search',
    nothingFound: 'No results',
  },
  zh: {
    title: '系统管理',
    sections: '管理页面',
    tabs: { people: '账号', socialApps: '第三方登录', clients: 'OAuth 客户端', audit: '审计日志' },
    actsOf: (name) => `对 ${name} 的操作`,
    cancel: '取消',
    save: '保存',
    required: '此项必填。',
    notTaken: '内容不符合要求。',
    search: '搜索',
    nothingFound: '无匹配结果',
  },
})
